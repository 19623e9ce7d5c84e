import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitWords } from '@fairlead/extension/runtime';
import fc from 'fast-check';
import { commandTable, hostNames } from '../../src/commands/command-table.ts';
import { elsewhere } from '../../src/commands/elsewhere.ts';
import { commandRoom } from './command-room.ts';

/** Lines that look almost right: names, sub-commands, options, quotes, and anything between. */
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostNames(), 'share', 'nothing') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...commandTable.flatMap(({ forms }) => forms.map(({ sub }) => sub))),
  },
  fc.constantFrom(
    '--all',
    '--closed=x',
    '--',
    '"',
    "'",
    '\\',
    '=',
    'ann',
    'local/small',
    'burst=2',
    '\u0000',
    '\n',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const line = fc
  .tuple(
    fc.constantFrom('/', '/', '/', ' /', '', '//'),
    fc.array(piece, { maxLength: 8 }),
    fc.constantFrom(' ', '', '\t'),
  )
  .map(([slash, pieces, between]) => `${slash}${pieces.join(between)}`);

test('any line is answered: text, or a code with one line of words that a terminal can show', async (t) => {
  const room = await commandRoom(t);
  await fc.assert(
    fc.asyncProperty(line, async (typed) => {
      // Reading alone: what is refused for its right has been taken apart all the same, and nothing changes from run to run.
      const answer = await room.run(typed, { scopes: ['session:read'] });
      if ('error' in answer) {
        assert.match(answer.error.code, /^[a-z_]+$/);
        assert.match(answer.error.message, /^\P{Cc}{1,1200}$/u);
        if (answer.error.code === 'command_usage') assert.match(answer.error.usage ?? '', /^\//);
      } else assert.equal(typeof answer.text, 'string');
    }),
    { numRuns: 300 },
  );
  assert.deepEqual(room.asked, []);
});

test('any line with every right changes nothing that cannot be said, and never throws', async (t) => {
  const room = await commandRoom(t);
  await fc.assert(
    fc.asyncProperty(line, async (typed) => {
      const answer = await room.run(typed);
      JSON.stringify(answer);
      await room.state.resume();
      await room.sessions.reopen(room.session);
    }),
    { numRuns: 200 },
  );
});

test('a line of the greatest length is answered at once', async (t) => {
  const { run } = await commandRoom(t);
  for (const filler of ['"', '\\', '--a ', "'' ", 'a=', '\u202e', '{', 'ann ']) {
    const text = `/agent set ann tools ${filler.repeat(8192)}`.slice(0, 8192);
    const before = process.threadCpuUsage();
    await run(text);
    const { user } = process.threadCpuUsage(before);
    assert.ok(user < 20_000_000, `${filler} took ${user} µs`);
  }
});

test('a word that is quoted as a shell quotes it comes back as it was', async (t) => {
  const { run, sessions, session } = await commandRoom(t);
  const words = fc.array(fc.string({ unit: 'grapheme', minLength: 0, maxLength: 10 }), {
    minLength: 1,
    maxLength: 5,
  });
  const style = fc.constantFrom<(word: string) => string>(
    (word) => `'${word.replaceAll("'", `'\\''`)}'`,
    (word) => `"${word.replace(/["\\$`]/g, '\\$&')}"`,
    (word) => word.replace(/[\s\S]/g, (unit) => `\\${unit}`) || "''",
  );
  fc.assert(
    fc.property(words, style, (given, quote) => {
      const split = splitWords(given.map(quote).join(' '));
      assert.ok(split.ok);
      assert.deepEqual(
        split.words.map(({ text }) => text),
        given,
      );
    }),
  );
  const name = fc
    .string({ minLength: 1, maxLength: 20 })
    .filter((text) => !/\p{Cc}/u.test(text) && !text.startsWith('ses_'));
  await fc.assert(
    fc.asyncProperty(name, style, async (given, quote) => {
      await run(`/name ${quote(given)}`);
      assert.equal((await sessions.meta(session)).name, given);
    }),
    { numRuns: 50 },
  );
});

test('a sub-command in quotes is the same sub-command, and needs the same right', async (t) => {
  const { run } = await commandRoom(t);
  const subs = commandTable.flatMap(({ name, forms }) =>
    forms.filter(({ sub }) => sub !== '').map((form) => ({ name, ...form })),
  );
  const quoted = fc.constantFrom<(word: string) => string>(
    (word) => word,
    (word) => `"${word}"`,
    (word) => `'${word}'`,
    (word) => `\\${word}`,
    (word) => `${word.slice(0, 1)}""${word.slice(1)}`,
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...subs), quoted, async ({ name, sub, scope }, quote) => {
      const answer = await run(`/${name} ${quote(sub)} bob x y`, {
        scopes: ['session:read', 'session:write', 'session:approve', 'admin'].filter((one) => one !== scope),
      });
      assert.equal('error' in answer && answer.error.code, 'command_scope_missing');
      assert.equal(elsewhere(`${name} ${sub}`), undefined);
    }),
  );
});
