import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { fakePeer } from '../fake-peer.ts';
import { ended, fsOver } from './fs-floor.ts';

/** What the host has judged is opened later: in between, `link` took the place of a folder. */
async function moved(t: TestContext) {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const outside = temporaryFolder(t);
  writeFileSync(join(outside, 'file'), 'planted');
  symlinkSync(outside, join(workspace, 'link'));
  const path = (asked: string) => join(workspace, asked);
  return { workspace, outside, ...(await fsOver(t, fakePeer({ workspace, path }))) };
}

test('a folder that became a link after it was judged is not read through', async (t) => {
  const { tools } = await moved(t);
  const answer = await tools.read_file({ path: 'link/file' });
  assert.deepEqual(ended(answer), ['not_started', 'file_not_regular']);
  assert.match(answer.text, /\(it was moved\)$/);
});

test('a folder that became a link after it was judged is not written through', async (t) => {
  const { tools, outside } = await moved(t);
  for (const path of ['link/file', 'link/new', 'link/sub/deep/new']) {
    const answer = await tools.write_file({ path, content: 'mine' });
    assert.deepEqual(ended(answer), ['not_started', 'file_not_regular'], path);
  }
  assert.deepEqual(readdirSync(outside), ['file']);
  assert.equal(readFileSync(join(outside, 'file'), 'utf8'), 'planted');
});

test('something else that took the place of the file meanwhile is not replaced', async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const random = (bytes: number) => {
    mkdirSync(join(workspace, 'a/new'));
    return new Uint8Array(bytes);
  };
  const { tools } = await fsOver(t, fakePeer({ workspace, random }));
  const answer = await tools.write_file({ path: 'a/new', content: 'x' });
  assert.deepEqual(ended(answer), ['not_started', 'file_not_regular']);
  assert.match(answer.text, /\(it is a folder\)$/);
  // The folder was made by the call, and somebody uses it by now.
  assert.deepEqual(readdirSync(join(workspace, 'a')), ['new']);
});

test('a name that is too long is the system’s to refuse', async (t) => {
  const { tools, workspace } = await moved(t);
  const path = 'x'.repeat(300);
  for (const answer of [await tools.read_file({ path }), await tools.write_file({ path, content: '' })]) {
    assert.deepEqual(ended(answer), ['not_started', 'file_unavailable']);
    assert.match(answer.text, /\(ENAMETOOLONG\)$/);
  }
  const deep = await tools.write_file({ path: `made/too/${path}`, content: '' });
  assert.deepEqual(ended(deep), ['not_started', 'file_unavailable']);
  assert.equal(existsSync(join(workspace, 'made')), false);
});
