import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { defineExtension, s } from '@fairlead/extension';
import { waitFor } from '@fairlead/testing';
import { owedLimits } from '../../src/limits.ts';
import { ModelFault } from '../../src/models/model.ts';
import { recoverSessions } from '../../src/sessions/recovery.ts';
import { saidModel } from './said-model.ts';
import { turnRoom } from './turn-room.ts';

function witness() {
  const seen: string[] = [];
  const extension = defineExtension({
    name: 'witness',
    version: '1.0.0',
    access: ['session_read'],
    tools: {
      look: { about: 'Looks.', args: { at: s.string() }, effect: 'read', run: ({ at }) => `saw ${at}` },
    },
    on: {
      async agentEnd({ status }, { session }) {
        const last = (await session?.read({ last: 1 }))?.[0];
        seen.push(`${status} after ${last?.type}`);
      },
    },
  });
  return { seen, extension };
}

test('agentEnd fires once, behind the turn_end, whatever the end', async (t) => {
  const { seen, extension } = witness();
  const fault = new ModelFault('model_denied', { retryable: false, free: true });
  const ends = [{ text: 'ok' }, { text: '' }, { fault }];
  let at = 0;
  const room = await turnRoom(t, {
    extensions: [extension],
    model: { stream: (request) => saidModel(ends[at] ?? {}).stream(request) },
  });
  for (; at < ends.length; at += 1) await room.ask('Go');
  assert.deepEqual(seen, ['completed after turn_end', 'completed after turn_end', 'failed after turn_end']);
});

test('a turn that somebody ended meanwhile is not ended twice, and agentEnd does not fire', async (t) => {
  const { seen, extension } = witness();
  const room = await turnRoom(t, {
    extensions: [extension],
    model: {
      async *stream(request) {
        // A start of another process would do the same.
        await recoverSessions({ ...room, boot: 'boot_2' }, { journal: room.journal });
        yield* saidModel({ text: 'Too late.' }).stream(request);
      },
    },
  });
  assert.equal((await room.ask('Go')).status, 'interrupted');
  assert.deepEqual((await room.told()).slice(1), ['ack 1', 'end interrupted 0']);
  assert.deepEqual(seen, []);
});

test('a ceiling that is reached ends the turn before the next model call, without a summary', async (t) => {
  const usage = { input: 90, output: 20, cached: 0, written: 0, reasoning: 0 };
  const { seen, extension } = witness();
  const look = (at: string) => ({ name: 'look', given: { at } });
  const model = saidModel({ calls: [look('a')], usage });
  const room = await turnRoom(t, { model, extensions: [extension], limits: { turn_tokens: 200 } });
  const report = await room.ask('Go');
  assert.equal(report.status, 'ceiling');
  assert.equal(report.code, 'ceiling_reached');
  assert.equal(report.ceiling?.scope, 'turn');
  assert.ok(model.requests.length < 3);
  assert.equal((await room.told()).at(-2), 'error ceiling_reached');
  assert.match((await room.told()).at(-1) ?? '', /^end ceiling ceiling_reached/);
  assert.deepEqual(seen, ['failed after turn_end']);
});

test('with a reached ceiling no call starts, and each says so', async (t) => {
  const usage = { input: 300, output: 20, cached: 0, written: 0, reasoning: 0 };
  const { extension } = witness();
  const look = (at: string) => ({ name: 'look', given: { at } });
  const model = saidModel({ calls: [look('a'), look('b')], usage });
  const room = await turnRoom(t, { model, extensions: [extension], limits: { turn_tokens: 200 } });
  const report = await room.ask('Go');
  assert.deepEqual(
    report.calls.map(({ certainty, code }) => [certainty, code]),
    [
      ['not_started', 'ceiling_reached'],
      ['not_started', 'ceiling_reached'],
    ],
  );
  assert.equal(report.status, 'ceiling');
});

test('a model that is not there any more fails the turn, and what was asked is answered with it', async (t) => {
  const room = await turnRoom(t, { model: saidModel({ text: 'Hi' }) });
  const report = await room.ask('Hello', { model: 'gone/away' });
  assert.deepEqual([report.status, report.code, report.steps], ['failed', 'model_unknown', 0]);
  assert.deepEqual((await room.told()).slice(1), [
    'ack 1',
    'error model_unknown',
    'end failed model_unknown 0',
  ]);
  const ack = (await room.entries())[1];
  assert.ok(ack?.type === 'ack' && ack.model === 'none');
});

test('the model of a turn is the caller’s, the one of this agent here, the session’s, the agent’s', async (t) => {
  const room = await turnRoom(t, { model: saidModel({ text: 'Hi' }), config: { model: 'local/other' } });
  const models: string[] = [];
  const ask = async (model?: string) => {
    await room.ask('Hi', model === undefined ? {} : { model });
    const ack = (await room.entries()).findLast(({ type }) => type === 'ack');
    models.push(ack?.type === 'ack' ? ack.model : '');
  };
  await ask();
  await room.sessions.setModel(room.session, 'local/script');
  await ask();
  await room.sessions.setModel(room.session, 'local/other', room.agent.id);
  await ask();
  await ask('local/script');
  assert.deepEqual(models, ['local/other', 'local/script', 'local/other', 'local/script']);
});

test('what goes wrong in the host ends the turn with its code, or without words of its own', async (t) => {
  for (const [thrown, code, text] of [
    [new FairleadError('store_full', 'The disk is full.'), 'store_full', 'The disk is full.'],
    [new TypeError('secret-in-a-stack'), 'turn_failed', 'The turn failed for a reason that has no name.'],
  ] as const) {
    const room = await turnRoom(t, { model: saidModel({ text: 'Hi' }) });
    room.models.resolve = () => {
      throw thrown;
    };
    const report = await room.ask('Hello');
    assert.deepEqual([report.status, report.code, report.text], ['failed', code, text]);
  }
});

test('messages that came together are answered by one turn, what came meanwhile by the next', async (t) => {
  const model = saidModel({ text: 'Hi both.' });
  const room = await turnRoom(t, {
    model: {
      async *stream(request) {
        if (model.requests.length === 0) await room.say('third');
        yield* model.stream(request);
      },
    },
  });
  await room.say('first');
  await room.say('second');
  await room.turn();
  const read = JSON.stringify(model.requests[0]?.messages);
  assert.ok(read.includes('first') && read.includes('second') && !read.includes('third'));
  await room.turn();
  assert.deepEqual(await room.told(), [
    'Ada: first',
    'Ada: second',
    'ack 2',
    'Ada: third',
    'ann: Hi both.',
    'end completed 1',
    'ack 1',
    'ann: Hi both.',
    'end completed 1',
  ]);
});

test('a turn that was cut short is gone on with, and its ack says which', async (t) => {
  const model = saidModel({ text: 'On with it.' });
  const room = await turnRoom(t, { model });
  await room.say('Build it');
  const wakes: never[] = [];
  await room.turn();
  await room.turn({ wakes, resumes: 'trn_cut_short_0000000000000' });
  const ack = (await room.entries()).findLast(({ type }) => type === 'ack');
  assert.ok(ack?.type === 'ack' && ack.resumes === 'trn_cut_short_0000000000000');
  assert.deepEqual(ack.for, []);
  assert.match(model.requests[1]?.messages.at(-1)?.text ?? '', /cut short/);
});

test('the live set is given back at the end of the turn, also of one that fails', async (t) => {
  const fault = new ModelFault('model_denied', { retryable: false, free: true });
  const room = await turnRoom(t, { model: saidModel({ fault }), extensions: [witness().extension] });
  const lease = room.hub.liveSet.bind(room.hub);
  let held = 0;
  room.hub.liveSet = async (of) => {
    const set = await lease(of);
    held += 1;
    const dispose = set[Symbol.dispose].bind(set);
    set[Symbol.dispose] = () => {
      held -= 1;
      dispose();
    };
    return set;
  };
  await room.ask('Go');
  assert.equal(held, 0);
  await assert.rejects(room.turn({ turn: 'trn_0000000000000000000001', wakes: [] }));
  assert.equal(held, 0);
  assert.deepEqual(room.turns.all(), []);
});

test('what breaks in the middle of the steps ends the turn as failed, with what it did so far', async (t) => {
  const { extension } = witness();
  const look = (at: string) => ({ name: 'look', given: { at } });
  const room = await turnRoom(t, { model: saidModel({ calls: [look('a')] }), extensions: [extension] });
  const attempts = room.ledger.attempts.bind(room.ledger);
  let asked = 0;
  room.ledger.attempts = (...given) => {
    asked += 1;
    if (asked === 2) throw new TypeError('a fault of ours');
    return attempts(...given);
  };
  const report = await room.ask('Go');
  assert.deepEqual([report.status, report.code, report.calls[0]?.text], ['failed', 'turn_failed', 'saw a']);
  assert.deepEqual((await room.told()).slice(-2), ['error turn_failed', 'end failed turn_failed 2']);
});

test('what breaks after the turn was cancelled is no failure', async (t) => {
  const cancel = new AbortController();
  const room = await turnRoom(t, { model: saidModel({ text: 'Hi' }) });
  room.ledger.attempts = () => {
    cancel.abort();
    throw new TypeError('cut off');
  };
  const report = await room.ask('Go', { signal: cancel.signal });
  assert.deepEqual([report.status, report.code], ['cancelled', 'turn_cancelled']);
});

test('a store that cannot write the end leaves the turn to the next start, and nothing of it is kept in memory', async (t) => {
  const room = await turnRoom(t, { model: saidModel({ text: 'Hi' }), extensions: [witness().extension] });
  const transaction = room.peer.transaction.bind(room.peer);
  let written = 0;
  await room.say('Go');
  room.peer.transaction = (async (build: Parameters<typeof transaction>[0]) => {
    written += 1;
    if (written === 2) throw new FairleadError('store_full', 'The disk is full.');
    return await transaction(build);
  }) as typeof room.peer.transaction;
  await assert.rejects(room.turn(), { code: 'store_full' });
  assert.deepEqual(room.turns.all(), []);
  assert.deepEqual((await room.told()).slice(1), ['ack 1']);
  await recoverSessions({ ...room, boot: 'boot_2' }, { journal: room.journal });
  assert.deepEqual((await room.told()).slice(1), ['ack 1', 'end interrupted 0']);
});

test('a turn whose end finds the disk full goes on until there is room, and its calls end before it', async (t) => {
  const extension = defineExtension({
    name: 'doer',
    version: '1.0.0',
    tools: { do: { about: 'Does.', run: () => 'done' } },
  });
  const turns = [{ steps: [{ calls: [{ tool: 'do', arguments: {} }] }, { text: 'Hi' }] }];
  const room = await turnRoom(t, { turns, extensions: [extension] });
  const transaction = room.peer.transaction.bind(room.peer);
  const disk = { isFull: false, refused: 0 };
  await room.say('Go');
  room.peer.transaction = (async (build: Parameters<typeof transaction>[0]) => {
    // From the end of the call on.
    if ((await room.told()).some((told) => told.startsWith('call')) && disk.refused === 0) disk.isFull = true;
    if (disk.isFull) {
      disk.refused += 1;
      throw new FairleadError('store_disk_full', 'No room.');
    }
    return await transaction(build);
  }) as typeof room.peer.transaction;
  let isOver = false;
  const running = room.turn().finally(() => {
    isOver = true;
  });
  await waitFor(() => disk.refused >= 2, { what: 'the end that finds no room' });
  assert.deepEqual([isOver, room.turns.all().length], [false, 1]);
  disk.isFull = false;
  await room.host.clock.advance(owedLimits.againMs);
  await running;
  const told = (await room.told()).map((each) => each.split(' ')[0]);
  assert.equal(told.filter((each) => each === 'end').length, 1);
  assert.ok(told.indexOf('result') > told.indexOf('call'), told.join());
  assert.equal(told.at(-1), 'end');
});

test('a reply that came while the disk filled up is the turn’s answer, with what it cost', async (t) => {
  const disk = { isFull: false };
  const full = () => Promise.reject(new FairleadError('store_disk_full', 'No room.'));
  const said = saidModel({ text: 'Hi' });
  const room = await turnRoom(t, {
    model: {
      async *stream(request) {
        disk.isFull = true;
        yield* said.stream(request);
      },
    },
  });
  const write = room.store.write.bind(room.store);
  t.mock.method(room.store, 'write', (...given: Parameters<typeof write>) =>
    disk.isFull ? full() : write(...given),
  );
  const transaction = room.peer.transaction.bind(room.peer);
  t.mock.method(room.peer, 'transaction', (...given: Parameters<typeof transaction>) =>
    disk.isFull ? full() : transaction(...given),
  );
  await room.say('Go');
  const running = room.turn();
  await waitFor(() => room.owed.has(room.session), { what: 'the end that finds no room' });
  disk.isFull = false;
  await room.host.clock.advance(owedLimits.againMs);
  const report = await running;
  assert.deepEqual([report.status, report.text], ['completed', 'Hi']);
  const end = (await room.entries()).at(-1);
  assert.ok(end?.type === 'turn_end');
  assert.deepEqual([end.usage.input, end.usage.output], [10, 4]);
  const [row] = await room.store.read<Record<string, unknown>>(
    'SELECT input, output, estimated FROM usage LIMIT 1',
  );
  assert.deepEqual({ ...row }, { input: 10, output: 4, estimated: 0 });
});

test('a hub that closes behind the end of a turn does not undo it', async (t) => {
  const showing = defineExtension({ name: 'showing', version: '1.0.0', status: () => ({ a: 'b' }) });
  const room = await turnRoom(t, { model: saidModel({ text: 'Hi' }), extensions: [showing] });
  room.hub.publish = () => Promise.reject(new FairleadError('hub_closed', 'The hub is closed.'));
  assert.equal((await room.ask('Go')).status, 'completed');
});

test('a hub that is closed begins no turn, and what waits still waits', async (t) => {
  const room = await turnRoom(t, { model: saidModel({ text: 'Hi' }) });
  await room.say('Go');
  await room.hub.close();
  await assert.rejects(room.turn(), { code: 'hub_closed' });
  assert.deepEqual(await room.told(), ['Ada: Go']);
});

test('a script that cannot be used fails the turn under the name of its model', async (t) => {
  const room = await turnRoom(t, { turns: [{ steps: 'none' }] });
  const report = await room.ask('Go');
  assert.deepEqual([report.status, report.code, report.steps], ['failed', 'script_invalid', 0]);
  const ack = (await room.entries())[1];
  assert.ok(ack?.type === 'ack' && ack.model === 'local/script');
});
