import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fakePeer } from '../fake-peer.ts';
import { ended, fsFloor, fsOver } from './fs-floor.ts';

async function editing(t: TestContext, content: string | Buffer) {
  const { tools, workspace, peer } = await fsFloor(t);
  const file = join(workspace, 'f');
  writeFileSync(file, content);
  return {
    file,
    workspace,
    peer,
    edit: (args: object) => tools.edit_file({ path: 'f', ...args }),
    content: () => readFileSync(file, 'utf8'),
  };
}

const one = (old_text: string, new_text: string) => ({ old_text, new_text });

test('one edit replaces its text, and says how many lines came and went', async (t) => {
  const f = await editing(t, 'a\nb\nc\n');
  assert.equal((await f.edit(one('b\n', 'x\ny\n'))).text, 'Made 1 replacement in f (+1 line)');
  assert.equal(f.content(), 'a\nx\ny\nc\n');
  assert.equal((await f.edit(one('x\ny\n', ''))).text, 'Made 1 replacement in f (-2 lines)');
  assert.equal((await f.edit(one('c', 'd'))).text, 'Made 1 replacement in f (0 lines)');
  assert.equal(f.content(), 'a\nd\n');
});

test('several edits are made in one step, each found in the original', async (t) => {
  const f = await editing(t, 'one two three');
  const edits = [one('three', 'one'), one('one', 'two'), one('two', 'three')];
  assert.equal((await f.edit({ edits })).text, 'Made 3 replacements in f (0 lines)');
  // No edit sees what another one has written.
  assert.equal(f.content(), 'two three one');
});

test('when one edit does not fit, the first such is named and nothing is written', async (t) => {
  const f = await editing(t, 'a b b');
  const answer = await f.edit({ edits: [one('a', 'x'), one('nope', 'y'), one('b', 'z')] });
  assert.deepEqual(ended(answer), ['not_started', 'edit_not_found']);
  assert.match(answer.text, /\(edit 2 of 3\)$/);
  assert.equal(f.content(), 'a b b');
});

test('a text that stands there twice is not unique, overlapping itself too', async (t) => {
  const f = await editing(t, 'aaa bb bb');
  assert.deepEqual(ended(await f.edit(one('bb', 'x'))), ['not_started', 'edit_not_unique']);
  assert.deepEqual(ended(await f.edit(one('aa', 'x'))), ['not_started', 'edit_not_unique']);
  assert.equal(f.content(), 'aaa bb bb');
});

test('an empty old text is not found', async (t) => {
  const f = await editing(t, 'a');
  assert.deepEqual(ended(await f.edit(one('', 'x'))), ['not_started', 'edit_not_found']);
});

test('an edit that a former one would have made possible is not found', async (t) => {
  const f = await editing(t, 'a');
  const edits = [one('a', 'b'), one('b', 'c')];
  assert.deepEqual(ended(await f.edit({ edits })), ['not_started', 'edit_not_found']);
});

test('two edits of one place are refused; neighbours are not', async (t) => {
  const f = await editing(t, 'abcd');
  assert.deepEqual(ended(await f.edit({ edits: [one('abc', 'x'), one('cd', 'y')] })), [
    'not_started',
    'edits_overlap',
  ]);
  assert.deepEqual(ended(await f.edit({ edits: [one('ab', 'x'), one('ab', 'y')] })), [
    'not_started',
    'edits_overlap',
  ]);
  await f.edit({ edits: [one('cd', 'y'), one('ab', 'x')] });
  assert.equal(f.content(), 'xy');
});

test('an edit is one pair or a list, and neither both nor half of one', async (t) => {
  const f = await editing(t, 'a');
  for (const args of [
    {},
    { old_text: 'a' },
    { new_text: 'a' },
    { ...one('a', 'b'), edits: [one('a', 'b')] },
    { new_text: 'x', edits: [one('a', 'b')] },
  ])
    assert.deepEqual(ended(await f.edit(args)), ['not_started', 'edits_invalid']);
  assert.deepEqual(ended(await f.edit({ edits: [] })), ['not_started', 'tool_arguments_invalid']);
  assert.equal(f.content(), 'a');
});

test('CRLF stays CRLF, whether the edit is written with it or with LF', async (t) => {
  const f = await editing(t, 'a\r\nb\r\nc\r\n');
  await f.edit(one('a\nb\n', 'x\ny\nz\n'));
  assert.equal(f.content(), 'x\r\ny\r\nz\r\nc\r\n');
  await f.edit(one('z\r\nc', '1\r\n2'));
  assert.equal(f.content(), 'x\r\ny\r\n1\r\n2\r\n');
});

test('a file of mixed line ends is edited byte by byte', async (t) => {
  const f = await editing(t, 'a\r\nb\nc');
  assert.deepEqual(ended(await f.edit(one('a\nb', 'x'))), ['not_started', 'edit_not_found']);
  await f.edit(one('b\nc', 'd\ne'));
  assert.equal(f.content(), 'a\r\nd\ne');
});

test('a replacement is taken as it stands: no pattern, no reference', async (t) => {
  const f = await editing(t, 'cost: $1 (.*)');
  await f.edit(one('$1 (.*)', '$& $$ $`'));
  assert.equal(f.content(), 'cost: $& $$ $`');
});

test('the byte order mark and the mode of a file stay', async (t) => {
  const f = await editing(t, '\ufeffa\n');
  chmodSync(f.file, 0o640);
  await f.edit(one('a', 'b'));
  assert.equal(f.content(), '\ufeffb\n');
  assert.equal(statSync(f.file).mode & 0o7777, 0o640);
});

test('a file that is not UTF-8 is left alone', async (t) => {
  const f = await editing(t, Buffer.from([0x61, 0xff, 0x62]));
  assert.deepEqual(ended(await f.edit(one('a', 'b'))), ['not_started', 'file_not_text']);
  assert.deepEqual([...readFileSync(f.file)], [0x61, 0xff, 0x62]);
});

test('a file that is not there, or too large, is not edited', async (t) => {
  const f = await editing(t, 'a');
  const { tools } = await fsOver(t, f.peer);
  assert.deepEqual(ended(await tools.edit_file({ path: 'nope', ...one('a', 'b') })), [
    'not_started',
    'file_not_found',
  ]);
  truncateSync(f.file, 9 * 1024 * 1024);
  assert.deepEqual(ended(await f.edit(one('a', 'b'))), ['not_started', 'file_too_large']);
});

test('a file that somebody else changes meanwhile is not overwritten', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  const file = join(workspace, 'f');
  writeFileSync(file, 'a');
  // The name of the new file is made after the old one was read.
  const random = (bytes: number) => {
    appendFileSync(file, ' and more');
    return new Uint8Array(bytes);
  };
  const other = await fsOver(t, fakePeer({ workspace, random }));
  assert.deepEqual(ended(await other.tools.edit_file({ path: 'f', ...one('a', 'b') })), [
    'not_started',
    'file_changed',
  ]);
  assert.equal(readFileSync(file, 'utf8'), 'a and more');
  assert.deepEqual(readdirSync(workspace), ['f']);
  assert.equal((await tools.edit_file({ path: 'f', ...one('a and', 'b and') })).isError, false);
});

test('both rights are asked for, and one is not enough', async (t) => {
  const { tools, workspace, peer } = await fsFloor(t);
  writeFileSync(join(workspace, 'f'), 'a');
  await tools.edit_file({ path: 'f', ...one('a', 'b') });
  assert.deepEqual(
    peer.asked.map(([, , kind]) => kind),
    ['read', 'write'],
  );
  const readOnly = await fsOver(t, fakePeer({ workspace, grants: { fs: { read: [workspace], write: [] } } }));
  assert.deepEqual(ended(await readOnly.tools.edit_file({ path: 'f', ...one('b', 'c') })), [
    'not_started',
    'grant_denied',
  ]);
});

test('a private file is private while it is edited, too', async (t) => {
  const { tools, workspace } = await fsFloor(t);
  const file = join(workspace, 'key');
  writeFileSync(file, `SECRET=a\n${'x'.repeat(4_000_000)}`);
  chmodSync(file, 0o600);
  const modes = new Set<number>();
  let isOver = false;
  const look = () => {
    for (const name of readdirSync(workspace).filter((one) => one.startsWith('.fairlead-'))) {
      const aside = statSync(join(workspace, name), { throwIfNoEntry: false });
      if (aside !== undefined) modes.add(aside.mode & 0o777);
    }
    if (!isOver) setImmediate(look);
  };
  look();
  await tools.edit_file({ path: 'key', old_text: 'SECRET=a', new_text: 'SECRET=b' });
  isOver = true;
  assert.deepEqual(
    [...modes].filter((mode) => mode !== 0o600),
    [],
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
});
