import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunningCommands } from '../../src/commands/running-commands.ts';

const WRITER = { id: 'tok_1', scopes: ['session:write'] };
const ADMIN = { id: 'tok_2', scopes: ['session:write', 'admin'] };

test('a question of a command has the rights of whoever typed its line, while that runs', () => {
  const commands = new RunningCommands();
  assert.equal(commands.allow('ses_1', 'skills', 'admin'), false);
  const over = commands.add('ses_1', 'skills', ADMIN);
  assert.equal(commands.allow('ses_1', 'skills', 'admin'), true);
  for (const [session, command] of [
    ['ses_2', 'skills'],
    ['ses_1', 'memory'],
  ] as const)
    assert.equal(commands.allow(session, command, 'admin'), false);
  over();
  over();
  assert.equal(commands.allow('ses_1', 'skills', 'admin'), false);
});

test('of several lines of one command each must have the right, because a question does not say whose it is', () => {
  const commands = new RunningCommands();
  const over = [commands.add('ses_1', 'skills', ADMIN), commands.add('ses_1', 'skills', WRITER)];
  assert.equal(commands.allow('ses_1', 'skills', 'admin'), false);
  assert.equal(commands.allow('ses_1', 'skills', 'session:write'), true);
  over[1]?.();
  assert.equal(commands.allow('ses_1', 'skills', 'admin'), true);
  // The same token twice is two lines.
  const again = commands.add('ses_1', 'skills', ADMIN);
  over[0]?.();
  assert.equal(commands.allow('ses_1', 'skills', 'admin'), true);
  again();
  assert.equal(commands.allow('ses_1', 'skills', 'admin'), false);
});
