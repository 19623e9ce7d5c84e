import type { TestContext } from 'node:test';
import type { ToolAnswer } from '@fairlead/extension/runtime';
import { harness } from '@fairlead/extension/testing';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { fs } from '../../src/fs/fs.ts';
import type { BuiltinPeer } from '../../src/index.ts';
import { type FakePeer, type FakePeerOptions, fakePeer } from '../fake-peer.ts';

/** The extension `fs` over a folder of its own. */
export async function fsFloor(t: TestContext, options: Partial<FakePeerOptions> = {}) {
  hygiene(t);
  const workspace = options.workspace ?? temporaryFolder(t);
  const peer: FakePeer = fakePeer({ workspace, ...options });
  return { workspace, peer, ...(await fsOver(t, peer)) };
}

/** The same over a host of the test's own. */
export async function fsOver(t: TestContext, peer: BuiltinPeer) {
  const running = await harness(fs, { peer });
  t.after(() => running.close());
  return { tools: running.tools };
}

/** How a call ended, without the rest of its text. */
export function ended({ certainty, text, isError }: ToolAnswer): readonly [string, string] {
  return [certainty, isError ? (text.split(':')[0] ?? '') : text];
}
