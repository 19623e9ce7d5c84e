import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { defineExtension } from '@fairlead/extension';
import { WorkerCarrier } from '@fairlead/extension/runtime';
import type { ExtensionSource } from '@fairlead/hub';
import { waitFor } from '@fairlead/testing';
import { type CallRoom, callRoom } from './call-room.ts';
import deeds from './fixtures/deeds-in-a-worker.ts';

const MODULE = new URL('./fixtures/deeds-in-a-worker.ts', import.meta.url);

const inWorker: ExtensionSource = {
  ref: { kind: 'path', name: 'deeds', digest: 'd1' },
  tier: 'worker',
  builtin: false,
  start: (host, onDeath) => WorkerCarrier.start({ module: MODULE, host, onDeath }),
};

const TIERS = { in_process: { extensions: [deeds] }, worker: { sources: [inWorker] } } as const;

/** The end of a call, which the session and the journal tell alike. */
async function end(room: CallRoom, tool: string, args = {}): Promise<string> {
  const ended = await room.call(tool, args);
  const [call, result] = (await room.entries()).slice(-2);
  assert.ok(call?.type === 'tool_call' && result?.type === 'tool_result');
  const { certainty, code, text } = ended;
  assert.deepEqual(
    [result.certainty, result.code, result.text, result.ms],
    [certainty, code, text, ended.ms],
  );
  assert.equal((await room.journalled()).at(-1), [certainty, code].filter(Boolean).join(' '));
  return `${certainty} ${text}`;
}

for (const tier of ['in_process', 'worker'] as const) {
  test(`${tier}: what became of a call is said from evidence`, async (t) => {
    const room = await callRoom(t, TIERS[tier]);
    assert.deepEqual(
      [
        await end(room, 'answer'),
        await end(room, 'error'),
        await end(room, 'throws'),
        await end(room, 'reads'),
        await end(room, 'knows', { what: 'not_started' }),
        await end(room, 'knows', { what: 'completed' }),
        await end(room, 'knows', { what: 'outcome_unknown' }),
        await end(room, 'garbage'),
      ],
      [
        'completed done',
        'completed no such file',
        'outcome_unknown tool_failed: The tool threw instead of answering. (mid-way)',
        'completed tool_failed: The tool threw instead of answering. (could not read)',
        'not_started tool_failed: it was not_started\nhalf',
        'completed tool_failed: it was completed\nhalf',
        'outcome_unknown tool_failed: it was outcome_unknown\nhalf',
        'completed tool_output_invalid: The tool ended, and its answer is nothing that JSON holds in less than 1 MiB. (it is a function, which JSON cannot hold)',
      ],
    );
    const tiers = (await room.entries()).map((entry) => entry.type === 'tool_call' && entry.tier);
    assert.deepEqual([...new Set(tiers)], [tier, false]);
  });

  test(`${tier}: a tool that is late is unknown, by the time that the operator gives it`, async (t) => {
    const policy = { tools: { late: { timeout_secs: 5 } } };
    const room = await callRoom(t, { ...TIERS[tier], policy });
    const waiting = room.call('late');
    await running(room, 'late');
    await room.host.clock.advance(4999);
    assert.notEqual(room.running.of(room.session, room.agent.id, 'late'), undefined);
    await room.host.clock.advance(1);
    // It may say for one more second how it ended.
    await room.host.clock.advance(1000);
    const late = await waiting;
    assert.deepEqual([late.certainty, late.code, late.ms], ['outcome_unknown', 'tool_timeout', 6000]);
    assert.deepEqual(await room.journalled(), ['outcome_unknown tool_timeout']);
  });

  test(`${tier}: a turn that is cancelled while a tool runs reaches it, and only its own word makes the end known`, async (t) => {
    const room = await callRoom(t, TIERS[tier]);
    const waiting = [room.call('late'), room.call('stops')];
    await waitFor(() => room.events.some(({ kind }) => kind === 'progress'), { what: 'the progress' });
    await running(room, 'late');
    room.cancel.abort();
    const stopped = await waiting[1];
    await room.host.clock.advance(1000);
    const late = await waiting[0];
    assert.deepEqual([stopped?.certainty, stopped?.text], ['completed', 'stopped in time']);
    assert.deepEqual([late?.certainty, late?.code], ['outcome_unknown', 'call_cancelled']);
    assert.equal(room.running.of(room.session, room.agent.id, 'late'), undefined);
    assert.deepEqual(
      room.events.filter(({ kind }) => kind === 'progress').map((event) => 'text' in event && event.text),
      ['begun'],
    );
  });
}

async function running(room: CallRoom, tool: string): Promise<void> {
  await waitFor(() => room.running.of(room.session, room.agent.id, tool), { what: 'the running tool' });
}

test('a worker that ends in the middle of a call leaves it unknown; the next one is not started while it is gone', async (t) => {
  const room = await callRoom(t, TIERS.worker);
  const died = await room.call('dies');
  assert.deepEqual([died.certainty, died.code], ['outcome_unknown', 'extension_crashed']);
  const next = await room.call('answer');
  assert.deepEqual([next.certainty, next.code], ['not_started', 'extension_crashed']);
  assert.deepEqual(await room.journalled(), [
    'outcome_unknown extension_crashed',
    'not_started extension_crashed',
  ]);
});

test('an extension that goes between the approval and the call leaves a call that was not started', async (t) => {
  const room = await callRoom(t, { extensions: [deeds] });
  const begin = room.journal.sessionIntent.bind(room.journal);
  t.mock.method(room.journal, 'sessionIntent', (...given: Parameters<typeof begin>) => {
    void room.hub.unload('deeds');
    return begin(...given);
  });
  const gone = await room.call('answer');
  assert.deepEqual([gone.certainty, gone.code], ['not_started', 'extension_unknown']);
  assert.deepEqual(await room.journalled(), ['not_started extension_unknown']);
});

test('a call that is cancelled between its intent and its tool was not started, and does not say that it began', async (t) => {
  const room = await callRoom(t, { extensions: [deeds] });
  const add = room.running.add.bind(room.running);
  t.mock.method(room.running, 'add', (running: Parameters<typeof add>[0]) => {
    room.cancel.abort();
    return add(running);
  });
  const end_ = await room.call('answer');
  assert.deepEqual(
    [end_.certainty, end_.text],
    ['not_started', 'call_cancelled: The call was cancelled before it began; nothing was started.'],
  );
});

/** Fails the transactions that `fails` says. */
function break_(room: CallRoom, mock: import('node:test').MockTracker, fails: (nth: number) => boolean) {
  let nth = 0;
  const original = room.peer.transaction.bind(room.peer);
  return mock.method(room.peer, 'transaction', (...given: Parameters<typeof original>) => {
    nth += 1;
    return fails(nth)
      ? Promise.reject(new FairleadError('store_io_failed', 'the disk is full'))
      : original(...given);
  });
}

const seen: string[] = [];
const doer = defineExtension({
  name: 'doer',
  version: '1.0.0',
  tools: { do: { about: 'Does.', run: () => void seen.push('ran') } },
});
const ears = defineExtension({
  name: 'ears',
  version: '1.0.0',
  on: { toolResult: ({ text }) => void seen.push(text.split(':')[0] ?? '') },
});

test('a call whose intent cannot be written does not run, and says so as soon as that can be written', async (t) => {
  seen.length = 0;
  const room = await callRoom(t, { extensions: [doer] });
  break_(room, t.mock, (nth) => nth === 1);
  const once = await room.call('do');
  assert.deepEqual([once.certainty, once.code, seen], ['not_started', 'call_not_decided', []]);
  assert.match(once.text, /\(store_io_failed\)$/);
  assert.deepEqual(await room.journalled(), ['not_started call_not_decided']);
  break_(room, t.mock, () => true);
  await assert.rejects(room.call('do'), { code: 'store_io_failed' });
  assert.deepEqual(seen, []);
});

test('a call whose end cannot be written is unknown, whatever the tool said, and is not run again', async (t) => {
  seen.length = 0;
  const room = await callRoom(t, { extensions: [doer] });
  const broken = break_(room, t.mock, (nth) => nth > 1);
  const lost = await room.call('do');
  assert.deepEqual([lost.certainty, lost.code, seen], ['outcome_unknown', 'call_not_settled', ['ran']]);
  // The next start finds the intent and no end.
  assert.deepEqual(await room.journalled(), ['owed']);
  assert.deepEqual(await room.told(), ['call do {}']);
  broken.mock.restore();
  // What is owed, the intent, the end.
  break_(room, t.mock, (nth) => nth === 3);
  await room.call('do');
  assert.deepEqual((await room.journalled()).at(-1), 'outcome_unknown call_not_settled');
  assert.match((await room.told()).at(-1) ?? '', /^result outcome_unknown call_not_settled/);
});

test('a result that cannot be written after its end was settled is owed with its text, and its certainty stands', async (t) => {
  seen.length = 0;
  const room = await callRoom(t, { extensions: [doer, ears] });
  break_(room, t.mock, (nth) => nth === 2);
  const end_ = await room.call('do');
  assert.deepEqual([end_.certainty, end_.code, seen], ['completed', undefined, ['ran', '']]);
  assert.deepEqual(await room.journalled(), ['completed owed text']);
  assert.deepEqual(
    await room.journal.owedResults(0, 10).then((owed) => owed.map(({ end, text }) => [end.certainty, text])),
    [['completed', '']],
  );
});

test('what hooks of the result hear is on disk before they hear it', async (t) => {
  seen.length = 0;
  const room = await callRoom(t, { extensions: [doer, ears] });
  const write = room.store.write.bind(room.store);
  t.mock.method(room.store, 'write', (...given: Parameters<typeof write>) =>
    given[0].some(({ sql }) => sql.includes('text = ?'))
      ? Promise.reject(new FairleadError('store_io_failed', 'the disk is full'))
      : write(...given),
  );
  const end_ = await room.call('do');
  assert.deepEqual(
    [end_.certainty, end_.code, seen],
    ['outcome_unknown', 'call_not_settled', ['ran', 'call_not_settled']],
  );
});

test('a session that is given away while a tool runs keeps the end in the journal', async (t) => {
  seen.length = 0;
  const room = await callRoom(t, { extensions: [doer] });
  let nth = 0;
  const original = room.peer.transaction.bind(room.peer);
  t.mock.method(room.peer, 'transaction', (...given: Parameters<typeof original>) => {
    nth += 1;
    return nth > 1 ? Promise.reject(new FairleadError('access_denied', 'no')) : original(...given);
  });
  const end_ = await room.call('do');
  assert.deepEqual([end_.certainty, await room.journalled()], ['completed', ['completed']]);
});
