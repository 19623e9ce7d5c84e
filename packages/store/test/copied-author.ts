import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { incarnationOf } from '../src/peer/incarnation.ts';
import type { OpenTestPeer, TestPeer } from './peer-fixture.ts';

/** A second installation with the very author key of another: what a machine's image that is started twice would be. */
export async function copyAuthor(t: TestContext, open: OpenTestPeer, of: TestPeer): Promise<TestPeer> {
  const folder = temporaryFolder(t);
  const first = await open({ folder });
  await first.close();
  copyFileSync(join(of.folder, 'peer.key'), join(folder, 'peer.key'));
  const author = JSON.parse(readFileSync(join(of.folder, 'author.key'), 'utf8'));
  const incarnation = incarnationOf(join(folder, 'fairlead.db'));
  writeFileSync(join(folder, 'author.key'), JSON.stringify({ ...author, ...incarnation, arrivals: 0 }));
  return await open({ folder });
}
