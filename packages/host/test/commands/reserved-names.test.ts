import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESERVED_COMMANDS } from '@fairlead/hub';
import { commandTable, reservedNames } from '../../src/commands/command-table.ts';
import { commandRoom } from './command-room.ts';

test('the names that no extension may take are those that the host has or says where they are, both ways', () => {
  assert.deepEqual([...RESERVED_COMMANDS].sort(), reservedNames().toSorted());
  assert.equal(new Set(reservedNames()).size, reservedNames().length);
});

test('every reserved name answers something of its own', async (t) => {
  const { run } = await commandRoom(t);
  for (const name of RESERVED_COMMANDS) {
    const answer = await run(`/${name}`, { scopes: [] });
    assert.ok('error' in answer);
    assert.match(answer.error.code, /^(command_scope_missing|command_elsewhere|command_usage)$/, name);
  }
});

test('every form says what it is for, what it needs, and how it is typed', () => {
  for (const { name, forms } of commandTable)
    for (const { sub, about, usage } of forms) {
      const words = sub === '' ? name : `${name} ${sub}`;
      assert.ok(about.length > 0 && /[.]$/.test(about), words);
      assert.ok(usage().startsWith(`/${name}`), words);
    }
});

test('every form refuses an option that it does not have, and says how it is typed', async (t) => {
  const { run, asked } = await commandRoom(t);
  for (const { name, forms } of commandTable) {
    // What stands behind /extensions is read by the hub, and has tests there.
    if (name === 'extensions') continue;
    for (const { sub, usage } of forms) {
      const words = sub === '' ? name : `${name} ${sub}`;
      const answer = await run(`/${words} --no-such-option`);
      assert.ok('error' in answer && answer.error.code === 'command_usage', words);
      assert.equal(answer.error.usage, usage(), words);
      assert.equal(answer.error.certainty, 'not_started');
    }
  }
  assert.deepEqual(asked, []);
});
