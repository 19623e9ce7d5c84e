import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { defineExtension, ToolFault } from '@fairlead/extension';
import { waitFor } from '@fairlead/testing';
import { saidModel } from './said-model.ts';
import { turnRoom } from './turn-room.ts';

function slowTools() {
  const state = { began: false, aborted: false, ended: '' };
  const ends: string[] = [];
  const extension = defineExtension({
    name: 'slow',
    version: '1.0.0',
    tools: {
      hear: {
        about: 'Hears the abort.',
        args: {},
        async run(_args, { signal }) {
          state.began = true;
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          state.aborted = true;
          throw new ToolFault('completed', 'stopped in time');
        },
      },
      deaf: {
        about: 'Does not.',
        args: {},
        async run() {
          state.began = true;
          await new Promise(() => {});
          return '';
        },
      },
      quick: { about: 'Is quick.', args: {}, effect: 'read', run: () => 'quick' },
    },
    on: { agentEnd: ({ status }) => void ends.push(status) },
  });
  return { state, ends, extension };
}

test('cancelling reaches a model that hears nothing, and ends the turn at once', async (t) => {
  const { ends, extension } = slowTools();
  const model = saidModel({ text: 'Well, ', hangs: true });
  const room = await turnRoom(t, { model, extensions: [extension] });
  const cancel = new AbortController();
  const turn = room.ask('Go', { signal: cancel.signal });
  await waitFor(() => room.heard.some(({ kind }) => kind === 'delta'), { what: 'the first piece' });
  cancel.abort(new FairleadError('turn_cancelled', 'The turn was cancelled.'));
  const report = await turn;
  assert.deepEqual([report.status, report.code], ['cancelled', 'turn_cancelled']);
  assert.deepEqual((await room.told()).slice(1), ['ack 1', 'end cancelled turn_cancelled 1']);
  assert.deepEqual(ends, ['cancelled']);
  const usage = (await room.entries()).at(-1);
  assert.ok(usage?.type === 'turn_end' && usage.usage.input > 0, 'the estimate stands');
});

test('cancelling reaches a tool, and its own word on how it ended counts', async (t) => {
  const { state, extension } = slowTools();
  const model = saidModel({ calls: [{ name: 'hear' }, { name: 'quick' }] }, { text: 'never' });
  const room = await turnRoom(t, { model, extensions: [extension] });
  const cancel = new AbortController();
  const turn = room.ask('Go', { signal: cancel.signal });
  await waitFor(() => state.began, { what: 'the call' });
  cancel.abort();
  const report = await turn;
  assert.equal(state.aborted, true);
  assert.deepEqual(
    report.calls.map(({ tool, certainty }) => [tool, certainty]),
    [['hear', 'completed']],
  );
  assert.equal(report.status, 'cancelled');
  assert.equal(model.requests.length, 1);
  assert.ok(!(await room.told()).some((line) => line.startsWith('call quick')));
});

test('a tool that does not hear it is outcome_unknown a second later, and only then the turn ends', async (t) => {
  const { state, extension } = slowTools();
  const model = saidModel({ calls: [{ name: 'deaf' }] }, { text: 'never' });
  const room = await turnRoom(t, { model, extensions: [extension] });
  const cancel = new AbortController();
  let ended = false;
  const turn = room.ask('Go', { signal: cancel.signal }).finally(() => {
    ended = true;
  });
  await waitFor(() => state.began, { what: 'the call' });
  cancel.abort(new FairleadError('host_paused', 'The host was paused.'));
  await room.host.clock.advance(900);
  assert.equal(ended, false);
  await room.host.clock.advance(1100);
  const report = await turn;
  assert.deepEqual(
    report.calls.map(({ certainty, code }) => [certainty, code]),
    [['outcome_unknown', 'call_cancelled']],
  );
  assert.deepEqual((await room.told()).slice(-1), ['end cancelled host_paused 1']);
});

test('what somebody was asked is taken back with the turn', async (t) => {
  const extension = defineExtension({
    name: 'asking',
    version: '1.0.0',
    tools: { ask: { about: 'Asks.', args: {}, approval: 'always', run: () => 'did' } },
  });
  const room = await turnRoom(t, { model: saidModel({ calls: [{ name: 'ask' }] }), extensions: [extension] });
  const cancel = new AbortController();
  const turn = room.ask('Go', { signal: cancel.signal });
  await waitFor(async () => (await room.approvals.open()).length > 0, { what: 'the question' });
  cancel.abort();
  const report = await turn;
  assert.equal(report.calls[0]?.certainty, 'not_started');
  assert.deepEqual(await room.approvals.open(), []);
});

test('a turn has an end by its time, and the code says that it was that', async (t) => {
  const { state, extension } = slowTools();
  const model = saidModel({ calls: [{ name: 'hear' }] });
  const room = await turnRoom(t, { model, extensions: [extension] });
  const turn = room.ask('Go', { timeoutMs: 5000 });
  await waitFor(() => state.began, { what: 'the call' });
  await room.host.clock.advance(5000);
  assert.deepEqual(await turn.then(({ status, code }) => [status, code]), ['cancelled', 'turn_timeout']);
});

test('a turn that is cancelled before it begins writes nothing, and what waits still waits', async (t) => {
  const room = await turnRoom(t, { model: saidModel({ text: 'Hi' }) });
  await room.say('Hello');
  const signal = AbortSignal.abort(new FairleadError('host_paused', 'The host was paused.'));
  await assert.rejects(room.turn({ signal }), { code: 'host_paused' });
  assert.deepEqual(await room.told(), ['Ada: Hello']);
  await room.turn();
  assert.deepEqual((await room.told()).slice(1), ['ack 1', 'ann: Hi', 'end completed 1']);
});

test('while a turn waits for its place at the model it says so, and can be cancelled', async (t) => {
  const room = await turnRoom(t, { model: saidModel({ text: 'Hi' }), modelCalls: 1 });
  const leave = await room.gate.enter(new AbortController().signal);
  const cancel = new AbortController();
  const turn = room.ask('Hello', { signal: cancel.signal });
  await waitFor(() => room.gate.waiting === 1, { what: 'the waiting turn' });
  assert.deepEqual(
    room.heard.flatMap((event) => (event.kind === 'state' ? [event.state] : [])),
    ['queued'],
  );
  cancel.abort();
  assert.equal((await turn).status, 'cancelled');
  leave?.();
});
