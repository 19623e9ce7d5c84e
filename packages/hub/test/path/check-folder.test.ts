import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@fairlead/base';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { checkFolder, type FolderCheck } from '../../src/path/check-folder.ts';

function check(t: TestContext, literal: string, before = ''): Promise<FolderCheck> {
  hygiene(t);
  const folder = temporaryFolder(t);
  const text = `import { defineExtension, defineCap, messenger, s } from '@fairlead/extension';\n${before}\nexport default defineExtension(${literal});\n`;
  writeFileSync(join(folder, 'extension.ts'), text);
  return checkFolder(folder, systemClock());
}

test('an extension in which nothing is wrong is told as it is, and is gone afterwards', async (t) => {
  const found = await check(
    t,
    `{ name: 'dice', version: '1.0.0', tools: { roll: { about: 'Rolls.', run: () => '4' } }, session: { tail: () => 'x' } }`,
  );
  assert.deepEqual(found.problems, []);
  assert.deepEqual(found.notes, []);
  assert.equal(found.manifest.name, 'dice');
  assert.deepEqual(found.manifest.scopes, ['global', 'session']);
});

test('a scope that cannot be opened is named with its reason, and the others are opened all the same', async (t) => {
  const found = await check(
    t,
    `{ name: 'dice', version: '1.0.0', open: () => { throw new Error('no disk'); }, session: { open: () => 1, tail: () => 'x' } }`,
  );
  assert.equal(found.problems.length, 1);
  const [problem] = found.problems;
  assert.equal(problem?.code, 'instantiate_failed');
  assert.match(problem?.message ?? '', /^global scope: .*no disk/);
});

test('a question that it asks while it opens is refused, because nobody is there to answer', async (t) => {
  const found = await check(
    t,
    `{ name: 'post', version: '1.0.0', access: ['session_write'], async open(scope) { await scope.sessions.open('ses_1'); } }`,
  );
  assert.match(found.problems[0]?.message ?? '', /a check answers no questions/);
});

test('a timer that was opened behind the scope is a problem, with the line that opened it', async (t) => {
  const found = await check(
    t,
    `{ name: 'leaky', version: '1.0.0', open: () => { setInterval(() => {}, 60_000); } }`,
  );
  assert.equal(found.problems.length, 1);
  assert.match(found.problems[0]?.message ?? '', /left open: .*extension\.ts/);
});

test('what an operator has to know stands in notes: needs, and settings without which it cannot open', async (t) => {
  const found = await check(
    t,
    `{ name: 'bell', version: '1.0.0', settings: { room: s.string() }, uses: { chat: messenger.from('telegram'), more: defineCap('example.more', { a: true }).optional }, open: () => 1 }`,
  );
  assert.deepEqual(found.problems, []);
  assert.deepEqual(found.notes, [
    'needs messenger of telegram',
    'uses, where it is there, example.more',
    'opened nowhere, because [extensions.bell.settings] must set room',
  ]);
});

test('what cannot be loaded is refused with the code of what is wrong', async (t) => {
  await assert.rejects(check(t, `{ name: 'Bad Name', version: '1.0.0' }`), { code: 'manifest_invalid' });
  await assert.rejects(check(t, '{', ''), { code: 'extension_load_failed' });
  await assert.rejects(check(t, `{ name: 'dice', version: '1' }`, 'enum A { B }'), {
    code: 'typescript_unsupported',
  });
});

test('a misspelt gate is refused, not checked as an extension without a gate', async (t) => {
  await assert.rejects(
    check(t, `{ name: 'gate', version: '1', gates: ['x'], on: { toolcall: () => ({ block: 'no' }) } }`),
    { code: 'manifest_invalid', message: /global\.on\.toolcall is not a hook \(is toolCall meant\?\)/ },
  );
});

test('an error of loading has the file and line, relative to the folder', async (t) => {
  await assert.rejects(check(t, `{ name: 'dice', version: '1' }`, 'const b = ;'), {
    code: 'extension_load_failed',
    message: 'Expression expected at extension.ts:2:11',
  });
});
