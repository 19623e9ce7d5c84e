import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHostCommand } from '../../src/commands/run-host-command.ts';
import { hostError } from '../../src/errors.ts';
import { commandRoom } from './command-room.ts';

test('/compact says what was summed up, and how much of it', async (t) => {
  const { done, refused, session, facade, ports, asked } = await commandRoom(t);
  const by = { id: 'person:1', scopes: ['session:write'] };
  await runHostCommand(ports, { session, line: '/compact', by, signal: new AbortController().signal });
  assert.deepEqual(asked, ['compact with a signal']);
  assert.deepEqual(await done('/compact'), {
    text: '2 entries are summed up now:\nThey greeted.',
    data: { session, summary: 'They greeted.', upto: 'a:1:0', entries: 2 },
  });
  facade.throws = hostError('nothing_to_compact');
  assert.match(await refused('/compact'), /^nothing_to_compact: /);
  assert.match(await refused('/compact all'), /^command_usage: .*\n\/compact$/);
});

test('/continue goes on with what was cut short, and says where nothing was', async (t) => {
  const { done, refused, session, facade } = await commandRoom(t);
  assert.deepEqual((await done('/continue')).data, { session, turn: 'trn_2' });
  facade.throws = hostError('nothing_to_continue');
  assert.match(await refused('/continue'), /^nothing_to_continue: /);
});

test('/cancel says whether there was a turn', async (t) => {
  const { done, session, facade, ann } = await commandRoom(t);
  assert.deepEqual(await done('/cancel'), {
    text: 'No turn runs here.',
    data: { session, cancelled: false },
  });
  facade.running = { turn: 'trn_1', agent: ann, state: 'model' };
  assert.deepEqual(await done('/stop'), {
    text: 'The turn is cancelled.',
    data: { session, cancelled: true },
  });
});

test('/pause stops the host once, /resume lets it go on once', async (t) => {
  const { done, asked } = await commandRoom(t);
  const at = Date.UTC(2026, 0, 1);
  const paused = { paused: true, pausedAtMs: at };
  assert.equal((await done('/resume')).text, 'This host is not paused.');
  assert.deepEqual(await done('/pause'), {
    text: 'This host is paused. /resume lets it go on.',
    data: { ...paused, changed: true },
  });
  assert.deepEqual(await done('/pause'), {
    text: 'This host is paused already since 2026-01-01 00:00:00 UTC.',
    data: { ...paused, changed: false },
  });
  assert.deepEqual(await done('/resume'), {
    text: 'This host goes on.',
    data: { paused: false, changed: true },
  });
  assert.deepEqual(asked, ['resume', 'pause', 'pause', 'resume']);
});
