import { spawnSync } from 'node:child_process';
import type { TestContext } from 'node:test';
import { harness } from '@fairlead/extension/testing';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { core } from '../../src/core/core.ts';
import { type FakePeerOptions, fakePeer } from '../fake-peer.ts';

/** Where bubblewrap stands on this machine; tests that need it say so with `requires`. */
export const BUBBLEWRAP = spawnSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).stdout.trim();

/** The extension `core` over a workspace of its own. Without `grants` nothing is limited. */
export async function coreFloor(t: TestContext, options: Partial<FakePeerOptions> = {}) {
  hygiene(t);
  return await coreOver(t, { workspace: temporaryFolder(t), ...options });
}

/** Another one in a test that has begun. */
export async function coreOver(t: TestContext, options: FakePeerOptions) {
  const { workspace } = options;
  const peer = fakePeer(options);
  t.after(() => peer.close());
  const running = await harness(core, { peer });
  t.after(() => running.close());
  const shell = (command: string, more: { working_dir?: string; signal?: AbortSignal } = {}) => {
    const { signal, ...args } = more;
    return running.tools.shell({ command, ...args }, signal === undefined ? {} : { signal });
  };
  return { workspace, peer, running, tools: running.tools, shell };
}

/** The same in a sandbox of the ceiling that every session starts with. */
export async function sandboxFloor(t: TestContext, options: Partial<FakePeerOptions> = {}) {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const grants = { fs: { read: [workspace], write: [workspace] }, network: { allowPrivate: false } };
  return await coreOver(t, { workspace, grants, bubblewrap: BUBBLEWRAP, ...options });
}
