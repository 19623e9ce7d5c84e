import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { ended, fsFloor } from './fs-floor.ts';

test('a file is read as it stands', async (t) => {
  const { tools, workspace, peer } = await fsFloor(t);
  writeFileSync(join(workspace, 'notes.md'), 'one\ntwo\n');
  assert.deepEqual(await tools.read_file({ path: 'notes.md' }), {
    certainty: 'completed',
    text: 'one\ntwo\n',
    isError: false,
  });
  assert.deepEqual(peer.asked, [
    ['path', { session: 'session-1', agent: 'agent-1', tool: 'read_file' }, 'read', 'notes.md'],
  ]);
});

test('a range of lines is read, and where to read on is said when there is more', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  writeFileSync(join(workspace, 'lines'), 'a\nb\nc\nd\n');
  const read = async (range: object) => (await tools.read_file({ path: 'lines', ...range })).text;
  assert.equal(await read({ offset: 2, limit: 2 }), 'b\nc\n[truncated: read on with offset 4]');
  assert.equal(await read({ offset: 4 }), 'd\n');
  assert.equal(await read({ limit: 4 }), 'a\nb\nc\nd\n');
  assert.equal(await read({ offset: 4, limit: 9 }), 'd\n');
  assert.equal(await read({ offset: 5 }), '[the file has 4 lines, none from 5 on]');
  writeFileSync(join(workspace, 'lines'), 'only');
  assert.equal(await read({ offset: 2 }), '[the file has 1 line, none from 2 on]');
  assert.equal(await read({ limit: 1 }), 'only');
});

test('an empty file says that it is empty', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  writeFileSync(join(workspace, 'nothing'), '');
  assert.equal((await tools.read_file({ path: 'nothing' })).text, '[the file is empty]');
});

test('a long file is cut after 50,000 characters, between two lines', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  writeFileSync(join(workspace, 'long'), 'x'.repeat(99).concat('\n').repeat(600));
  const { text } = await tools.read_file({ path: 'long' });
  assert.equal(text, `${'x'.repeat(99).concat('\n').repeat(500)}[truncated: read on with offset 501]`);
  const rest = await tools.read_file({ path: 'long', offset: 501 });
  assert.equal(rest.text, 'x'.repeat(99).concat('\n').repeat(100));
});

test('a cut in a long line never leaves half of a character', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  writeFileSync(join(workspace, 'line'), `a${'😀'.repeat(30_000)}\nnext\n`);
  const { text } = await tools.read_file({ path: 'line' });
  assert.equal(
    text,
    `a${'😀'.repeat(24_999)}\n[line 1 is cut after 50000 characters]\n[truncated: read on with offset 2]`,
  );
  assert.equal((await tools.read_file({ path: 'line', offset: 2 })).text, 'next\n');
});

test('characters that lie across two reads of the disk come out whole', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  const line = `${'é'.repeat(40)}\n`;
  writeFileSync(join(workspace, 'wide'), `x${line.repeat(1200)}`);
  const first = await tools.read_file({ path: 'wide', offset: 800, limit: 20 });
  assert.equal(first.text, `${line.repeat(20)}[truncated: read on with offset 820]`);
});

test('what is not UTF-8 is shown, and said', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  writeFileSync(join(workspace, 'latin'), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
  assert.equal(
    (await tools.read_file({ path: 'latin' })).text,
    'caf\ufffd\n[not all of it is UTF-8: what is not is shown as \ufffd]',
  );
  writeFileSync(join(workspace, 'cut'), Buffer.from('ok é').subarray(0, 4));
  assert.match((await tools.read_file({ path: 'cut' })).text, /^ok \ufffd\n\[not all of it/);
  // The character itself is no fault of the file.
  writeFileSync(join(workspace, 'mark'), 'a \ufffd b');
  assert.equal((await tools.read_file({ path: 'mark' })).text, 'a \ufffd b');
});

test('a file that is not there, or whose folder is a file, was never read', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  writeFileSync(join(workspace, 'file'), 'x');
  assert.deepEqual(ended(await tools.read_file({ path: 'nope' })), ['not_started', 'file_not_found']);
  assert.deepEqual(ended(await tools.read_file({ path: 'file/below' })), ['not_started', 'file_not_found']);
});

test('a pipe does not hang whoever reads it, and no folder, link, socket or device is opened', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  mkdirSync(join(workspace, 'folder'));
  symlinkSync('/nowhere/at/all', join(workspace, 'link'));
  assert.equal(spawnSync('mkfifo', [join(workspace, 'pipe')]).status, 0);
  const server = createServer().listen(join(workspace, 'socket'));
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  for (const [path, said] of [
    ['folder', 'it is a folder'],
    ['link', 'it is a link'],
    ['pipe', 'it is a pipe'],
    ['socket', 'it is a socket'],
    ['/dev/zero', 'it is a device'],
  ] as const) {
    const answer = await tools.read_file({ path });
    assert.deepEqual(ended(answer), ['not_started', 'file_not_regular'], path);
    assert.match(answer.text, new RegExp(`\\(${said}\\)$`));
  }
});

test('what the host refuses is refused with its code and in its words', async (t) => {
  const workspace = { grants: { fs: { read: ['/elsewhere'] } } };
  const { tools } = await fsFloor(t, workspace);
  assert.deepEqual(await tools.read_file({ path: 'notes.md' }), {
    certainty: 'not_started',
    text: 'grant_denied: The grants do not hold this path.',
    isError: true,
  });
});

test('a range far into a huge file is refused instead of read for minutes', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  writeFileSync(join(workspace, 'huge'), '');
  truncateSync(join(workspace, 'huge'), 300 * 1024 * 1024);
  const answer = await tools.read_file({ path: 'huge', offset: 2 });
  assert.deepEqual(ended(answer), ['completed', 'file_too_large']);
});

test('reading ends between two pieces when it is cancelled', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  writeFileSync(join(workspace, 'huge'), '');
  truncateSync(join(workspace, 'huge'), 200 * 1024 * 1024);
  const cancel = new AbortController();
  const answer = tools.read_file({ path: 'huge', offset: 2 }, { signal: cancel.signal });
  setImmediate(() => cancel.abort());
  assert.equal((await answer).isError, true);
});

test('the environment of the host is no file, whatever may be read', async (t) => {
  const { tools } = await fsFloor(t, { grants: {} });
  const answer = await tools.read_file({ path: '/proc/self/environ' });
  assert.deepEqual([answer.certainty, answer.isError], ['not_started', true]);
  assert.match(answer.text, /a file of the kernel/);
});
