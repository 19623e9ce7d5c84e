import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@fairlead/extension/testing';
import standup from '../src/extension.ts';

const entry = (id: string, type: string) => ({
  id,
  type,
  at: 0,
  from: { kind: 'person', id: 'ann' },
  text: 'x',
});

test('a report goes to the board of the settings, in the agent’s name', async () => {
  const sent: unknown[] = [];
  const send = async (message: unknown) => {
    sent.push(message);
    return null;
  };
  await using t = await harness(standup, { settings: { board: 'kitchen' }, caps: { board: { send } } });
  assert.equal((await t.tools.report({ done: 'Tea is made.' })).text, 'Reported to kitchen.');
  assert.deepEqual(sent, [{ target: 'kitchen', body: { text: 'fairlead: Tea is made.' } }]);
});

test('the command counts the messages of the session', async () => {
  const sent: unknown[] = [];
  await using t = await harness(standup, {
    entries: [entry('1', 'message'), entry('2', 'ack'), entry('3', 'message')],
    caps: {
      board: {
        send: async (message) => {
          sent.push(message);
          return null;
        },
      },
    },
  });
  assert.equal(await t.command('standup'), 'Told standup: 2 messages.');
  assert.equal(await t.command('/standup kitchen'), 'Told kitchen: 2 messages.');
  assert.deepEqual(sent, [
    { target: 'standup', body: { text: '2 messages in session-1' } },
    { target: 'kitchen', body: { text: '2 messages in session-1' } },
  ]);
});

test('without its messenger nothing is sent, and the tool says so', async () => {
  await using t = await harness(standup);
  const { certainty, isError, text } = await t.tools.report({ done: 'Tea is made.' });
  assert.equal(isError, true);
  assert.equal(certainty, 'outcome_unknown');
  assert.match(text, /^tool_failed: .*board\.send/);
});

test('its manifest says whose messenger it needs', () => {
  assert.deepEqual(standup.manifest.requires, [
    { kind: 'session_read' },
    { kind: 'settings' },
    { kind: 'tool_registration' },
    { kind: 'command_registration' },
    { kind: 'messenger', provider: 'noticeboard' },
  ]);
});
