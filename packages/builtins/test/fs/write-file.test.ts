import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, spawnAsNobody, temporaryFolder } from '@fairlead/testing';
import { ended, fsFloor } from './fs-floor.ts';

test('a file is written whole, and says how much it was', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  const write = async (content: string) => (await tools.write_file({ path: 'a.txt', content })).text;
  assert.equal(await write('grüße\n'), 'Wrote 8 bytes to a.txt');
  assert.equal(readFileSync(join(workspace, 'a.txt'), 'utf8'), 'grüße\n');
  assert.equal(await write('x'), 'Wrote 1 byte to a.txt');
  assert.equal(await write(''), 'Wrote 0 bytes to a.txt');
  assert.equal(readFileSync(join(workspace, 'a.txt'), 'utf8'), '');
  assert.deepEqual(readdirSync(workspace), ['a.txt']);
});

test('a file that is replaced keeps its mode; a new one gets the usual one', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  const script = join(workspace, 'run.sh');
  writeFileSync(script, '#!/bin/sh\n');
  chmodSync(script, 0o750);
  await tools.write_file({ path: 'run.sh', content: '#!/bin/sh\necho\n' });
  assert.equal(statSync(script).mode & 0o7777, 0o750);
  await tools.write_file({ path: 'new', content: '' });
  assert.equal(statSync(join(workspace, 'new')).mode & 0o7777, 0o666 & ~process.umask());
});

test('whoever reads while a file is written sees the old content or the new one', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  const path = join(workspace, 'whole');
  writeFileSync(path, 'old');
  const before = lstatSync(path).ino;
  await tools.write_file({ path: 'whole', content: 'new' });
  assert.notEqual(lstatSync(path).ino, before);
});

test('another name of the same file keeps its content', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  writeFileSync(join(workspace, 'one'), 'old');
  linkSync(join(workspace, 'one'), join(workspace, 'two'));
  await tools.write_file({ path: 'one', content: 'new' });
  assert.equal(readFileSync(join(workspace, 'two'), 'utf8'), 'old');
});

test('folders on the way are made', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  const answer = await tools.write_file({ path: 'a/b/c.txt', content: 'deep' });
  assert.equal(answer.text, 'Wrote 4 bytes to a/b/c.txt');
  assert.equal(readFileSync(join(workspace, 'a/b/c.txt'), 'utf8'), 'deep');
});

test('a folder, a device and a link are not written to, and nothing is left behind', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  mkdirSync(join(workspace, 'folder'));
  symlinkSync('/nowhere', join(workspace, 'link'));
  writeFileSync(join(workspace, 'file'), 'x');
  for (const [path, code] of [
    ['folder', 'file_not_regular'],
    ['/dev/null', 'file_not_regular'],
    ['link', 'file_not_regular'],
    ['file/below', 'file_not_found'],
  ] as const)
    assert.deepEqual(ended(await tools.write_file({ path, content: 'y' })), ['not_started', code], path);
  assert.deepEqual(readdirSync(workspace).sort(), ['file', 'folder', 'link']);
  assert.equal(readFileSync(join(workspace, 'file'), 'utf8'), 'x');
});

test('a call that was cancelled before the rename has not started, and takes away what it made', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  const cancel = new AbortController();
  const answer = tools.write_file({ path: 'a/b', content: 'x' }, { signal: cancel.signal });
  cancel.abort();
  assert.deepEqual(ended(await answer), ['not_started', 'call_cancelled']);
  assert.deepEqual(readdirSync(workspace), []);
});

test('a file that its user may not write is not replaced by the back door, and a folder without room for it is left as it was', async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t, { mode: 0o777 });
  writeFileSync(join(workspace, 'locked'), 'mine');
  chmodSync(join(workspace, 'locked'), 0o444);
  writeFileSync(join(workspace, 'secret'), 'mine');
  chmodSync(join(workspace, 'secret'), 0o000);
  mkdirSync(join(workspace, 'closed'));
  chmodSync(join(workspace, 'closed'), 0o555);
  const program = join(import.meta.dirname, '../fixtures/files-as-nobody.ts');
  const child = spawnAsNobody(process.execPath, [program, workspace], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  assert.deepEqual(JSON.parse(said), {
    locked: ['not_started', 'file_unavailable', '(EACCES)'],
    below: ['not_started', 'file_unavailable', '(EACCES)'],
    deep: ['not_started', 'file_unavailable', '(EACCES)'],
    secret: ['not_started', 'file_unavailable', '(EACCES)'],
    edit: ['not_started', 'file_unavailable', '(EACCES)'],
  });
  assert.equal(readFileSync(join(workspace, 'locked'), 'utf8'), 'mine');
  assert.deepEqual(readdirSync(workspace).sort(), ['closed', 'locked', 'secret']);
});
