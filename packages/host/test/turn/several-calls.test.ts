import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { defineExtension, s } from '@fairlead/extension';
import { waitFor } from '@fairlead/testing';
import { isResult, noRoomFor } from '../no-room.ts';
import { saidModel } from './said-model.ts';
import { turnRoom } from './turn-room.ts';

/** Tools whose calls wait until the test lets them go; `log` says when each began and ended. */
function held() {
  const log: string[] = [];
  const waiting = new Map<string, () => void>();
  const run = async ({ at }: { at: string }) => {
    log.push(`+${at}`);
    await new Promise<void>((resolve) => waiting.set(at, resolve));
    log.push(`-${at}`);
    return at;
  };
  const args = { at: s.string() };
  const extension = defineExtension({
    name: 'held',
    version: '1.0.0',
    tools: {
      read: { about: 'Reads.', args, effect: 'read', run },
      write: { about: 'Writes.', args, effect: 'write', run },
    },
  });
  return {
    log,
    extension,
    async go(at: string) {
      await waitFor(() => waiting.has(at), { what: `the call of ${at}` });
      waiting.get(at)?.();
      waiting.delete(at);
    },
    runs: (count: number) => waitFor(() => waiting.size === count, { what: `${count} calls at once` }),
  };
}

const call = (name: string, at: string) => ({ name, given: { at } });

test('calls that only read run together, and what writes waits for them and holds what follows', async (t) => {
  const { log, extension, go, runs } = held();
  const model = saidModel(
    {
      calls: [
        call('read', 'a'),
        call('read', 'b'),
        call('write', 'c'),
        call('read', 'd'),
        call('write', 'e'),
      ],
    },
    { text: 'done' },
  );
  const room = await turnRoom(t, { model, extensions: [extension] });
  const turn = room.ask('Go');
  await runs(2);
  await go('b');
  await waitFor(() => log.includes('-b'), { what: 'the end of b' });
  assert.deepEqual(log, ['+a', '+b', '-b']);
  for (const at of ['a', 'c', 'd', 'e']) await go(at);
  const report = await turn;
  assert.deepEqual(log, ['+a', '+b', '-b', '-a', '+c', '-c', '+d', '-d', '+e', '-e']);
  assert.deepEqual(
    report.calls.map(({ text }) => text),
    ['a', 'b', 'c', 'd', 'e'],
  );
});

test('calls that run together and end on a full disk hold up neither each other nor the turn', async (t) => {
  const { extension, go, runs } = held();
  const model = saidModel({ calls: [call('read', 'a'), call('read', 'b')] }, { text: 'done' });
  const room = await turnRoom(t, { model, extensions: [extension] });
  const turn = room.ask('Go');
  await runs(2);
  const { peer } = room.host;
  const disk = t.mock.method(peer, 'transaction', () =>
    Promise.reject(new FairleadError('store_disk_full', 'No room.')),
  );
  await go('a');
  await waitFor(() => room.owed.has(room.session), { what: 'an end that is owed' });
  await go('b');
  await waitFor(() => model.requests.length === 2, { what: 'the next question to the model' });
  disk.mock.restore();
  // Its end may begin to wait while a pass is under way.
  await waitFor(
    async () => {
      await room.owed.flush();
      return room.turns.all().length === 0;
    },
    { what: 'the end of the turn' },
  );
  const { calls } = await turn;
  const ends = new Set(
    (await room.entries()).flatMap((entry) => (entry.type === 'tool_result' ? [entry.call] : [])),
  );
  assert.deepEqual(ends, new Set(calls.map((end) => end.call)));
  assert.equal((await room.told()).filter((told) => told.startsWith('result')).length, 2);
  assert.match((await room.told()).at(-1) ?? '', /^end /);
});

for (const [what, next] of [
  ['', { calls: [call('write', 'b')] }],
  [' that the model announces', { text: 'Now b.', calls: [call('write', 'b')] }],
] as const)
  test(`the next call of a turn${what} does not begin while the disk owes the end of the one before`, async (t) => {
    const { log, extension, go } = held();
    const model = saidModel({ calls: [call('write', 'a')] }, next, { text: 'done' });
    const room = await turnRoom(t, { model, extensions: [extension] });
    const ends = t.mock.method(room.approvals, 'endTurn');
    const disk = noRoomFor(t, room.host.peer, isResult);
    const turn = room.ask('Go');
    await go('a');
    await waitFor(() => log.includes('+b') || ends.mock.callCount() > 0, { what: 'what comes next' });
    assert.deepEqual(log, ['+a', '-a']);
    disk.mock.restore();
    // Its end may begin to wait while a pass is under way.
    await waitFor(
      async () => {
        await room.owed.flush();
        return room.turns.all().length === 0;
      },
      { what: 'the end of the turn' },
    );
    const { status, code } = await turn;
    assert.deepEqual([status, code, log], ['failed', 'store_disk_full', ['+a', '-a']]);
    const told = (await room.told()).slice(2).map((each) => each.split(' ').slice(0, 2).join(' '));
    assert.deepEqual(told, ['call write', 'result outcome_unknown', 'error store_disk_full', 'end failed']);
  });

test('at most 8 calls of one reply run at once', async (t) => {
  const { log, extension, go, runs } = held();
  const names = Array.from({ length: 10 }, (_, index) => `r${index}`);
  const model = saidModel({ calls: names.map((at) => call('read', at)) }, { text: 'done' });
  const room = await turnRoom(t, { model, extensions: [extension] });
  const turn = room.ask('Go');
  await runs(8);
  assert.equal(log.length, 8);
  await go('r3');
  await waitFor(() => log.includes('+r8'), { what: 'the ninth' });
  for (const at of names.filter((name) => name !== 'r3')) await go(at);
  const report = await turn;
  assert.deepEqual(
    report.calls.map(({ text }) => text),
    names,
  );
});

test('an operator’s word makes a tool wait that calls itself reading', async (t) => {
  const { log, extension, go } = held();
  const model = saidModel({ calls: [call('read', 'a'), call('read', 'b')] }, { text: 'done' });
  const policy = { tools: { read: { effect: 'write' } } };
  const room = await turnRoom(t, { model, policy, extensions: [extension] });
  const turn = room.ask('Go');
  await go('a');
  await go('b');
  await turn;
  assert.deepEqual(log, ['+a', '-a', '+b', '-b']);
});

for (const [reason, code, words] of [
  ['length', 'reply_cut', /too long/],
  ['filter', 'reply_filtered', /filter/],
] as const)
  test(`a reply that ended with "${reason}" runs none of its calls and says so to the model`, async (t) => {
    const { log, extension } = held();
    const model = saidModel(
      { text: 'Now:', calls: [call('write', 'a')], reason },
      { text: 'Shorter, then.' },
    );
    const room = await turnRoom(t, { model, extensions: [extension] });
    const report = await room.ask('Go');
    assert.deepEqual(log, []);
    assert.deepEqual(report.calls, []);
    assert.deepEqual((await room.told()).slice(2), [
      'ann: Now: …',
      `error ${code}`,
      'ann: Shorter, then.',
      'end completed 2',
    ]);
    const [said, told] = model.requests[1]?.messages.slice(-2) ?? [];
    assert.deepEqual(said, { role: 'assistant', text: 'Now:' });
    assert.match(told?.text ?? '', words);
  });

test('a model whose replies are cut three times in a row is asked to answer without tools', async (t) => {
  const { extension } = held();
  const cut = { calls: [call('write', 'a')], reason: 'length' } as const;
  const model = saidModel(cut, cut, cut, { text: 'I cannot.' });
  const room = await turnRoom(t, { model, extensions: [extension] });
  const report = await room.ask('Go');
  assert.deepEqual([report.status, report.code, report.steps], ['completed', 'turn_stuck', 4]);
  assert.deepEqual(model.requests[3]?.tools, []);
});

test('a last text that was cut stands, with the code that says so', async (t) => {
  const room = await turnRoom(t, { model: saidModel({ text: 'It goes on and', reason: 'length' }) });
  const report = await room.ask('Go');
  assert.deepEqual([report.status, report.code, report.text], ['completed', 'reply_cut', 'It goes on and']);
});

test('a reply that was withheld whole is a failure and not silence', async (t) => {
  const room = await turnRoom(t, { model: saidModel({ reason: 'filter' }) });
  const report = await room.ask('Go');
  assert.deepEqual([report.status, report.code], ['failed', 'reply_filtered']);
  assert.deepEqual((await room.told()).slice(2), ['error reply_filtered', 'end failed reply_filtered 1']);
});

test('arguments that do not parse run nothing, are answered, and stand as an empty object in what the model reads', async (t) => {
  const { log, extension } = held();
  const model = saidModel({ calls: [{ name: 'write', given: '{"at": ' }] }, { text: 'Sorry.' });
  const room = await turnRoom(t, { model, extensions: [extension] });
  const report = await room.ask('Go');
  assert.deepEqual(log, []);
  assert.equal(report.calls[0]?.code, 'tool_arguments_invalid');
  const [said, answer] = model.requests[1]?.messages.slice(-2) ?? [];
  assert.ok(said?.role === 'assistant' && answer?.role === 'tool');
  assert.deepEqual(said.calls?.[0]?.arguments, {});
  assert.equal(answer.call, said.calls?.[0]?.id);
});

test('a name that no tool can have is made one that a back end takes', async (t) => {
  const model = saidModel({ calls: [{ name: 'a b!' }, { name: 'x'.repeat(200) }] }, { text: 'ok' });
  const room = await turnRoom(t, { model });
  await room.ask('Go');
  const said = model.requests[1]?.messages.find(({ role }) => role === 'assistant');
  assert.ok(said?.role === 'assistant');
  assert.deepEqual(
    said.calls?.map(({ name }) => name),
    ['a_b_', 'x'.repeat(64)],
  );
});
