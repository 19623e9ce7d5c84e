import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, s } from '@fairlead/extension';
import type { PendingWake } from '../../src/sessions/wakes.ts';
import type { RunningTurn } from '../../src/turn/running-turns.ts';
import { TurnBudget } from '../../src/turn/turn-budget.ts';
import type { TurnOptions, TurnReport } from '../../src/turn/turn-options.ts';
import { saidModel } from './said-model.ts';
import { type TurnRoom, type TurnRoomOptions, turnRoom } from './turn-room.ts';

const looking = defineExtension({
  name: 'looking',
  version: '1.0.0',
  tools: {
    look: { about: 'Looks.', args: { at: s.string() }, effect: 'read', run: ({ at }) => `saw ${at}` },
    see: { about: 'Sees.', args: {}, effect: 'read', run: () => 'seen' },
  },
});
const look = (at: string) => ({ name: 'look', given: { at } });
type Test = Parameters<typeof turnRoom>[0];

/** A room with a second session that a turn of the first one made. */
async function spawnedRoom(t: Test, options: TurnRoomOptions) {
  const room = await turnRoom(t, { extensions: [looking], ...options });
  const parent = { session: room.session, turn: 'trn_parent_0000000000000000', call: 'call_1' };
  const session = await room.sessions.create({ agents: [room.agent.id], source: 'spawn', parent });
  const run = async (budget: TurnBudget, given: Partial<TurnOptions> = {}): Promise<TurnReport> => {
    const { id } = await addDirective(room, session);
    const wakes: readonly PendingWake[] = [
      { seq: id.seq, entry: id.entry, agent: room.agent.id, kind: 'directive' },
    ];
    return await room.turn({
      ...{ turn: 'trn_child_00000000000000000', session, wakes },
      spawned: { by: parent.turn, budget, depth: 1, tools: [] },
      ...given,
    });
  };
  return { room, session, parent, run };
}

async function addDirective(room: TurnRoom, session: string) {
  const database = await room.sessions.open(session);
  const value = {
    ...{ type: 'directive', text: 'Look around.', at: 0 },
    from: { kind: 'agent', id: room.agent.id, name: 'ann' },
  };
  const entry = await database.table('entries').append(value);
  const sql = `INSERT INTO wakes (session, entry, agent, kind, state) VALUES (?, ?, ?, 'directive', 'pending')`;
  await room.store.write([{ sql, parameters: [session, entry, room.agent.id] }]);
  const [row] = await room.store.read<{ seq: number }>('SELECT seq FROM wakes WHERE entry = ? LIMIT 1', [
    entry,
  ]);
  return { id: { seq: row?.seq ?? 0, entry } };
}

const budgetOf = (room: TurnRoom, iterations: number) =>
  new TurnBudget({ root: 'trn_parent_0000000000000000', rootSession: room.session, iterations });

test('what is spawned takes its steps from the root’s budget, and its own bound holds too', async (t) => {
  const model = saidModel({ calls: [look('a')] }, { calls: [look('b')] }, { text: 'As far as I got.' });
  const { room, run, session } = await spawnedRoom(t, { model });
  const budget = budgetOf(room, 5);
  const report = await run(budget, { maxIterations: 2 });
  assert.deepEqual([report.code, report.steps, budget.left], ['turn_iterations', 3, 3]);
  assert.equal((await room.told(session)).at(-1), 'end completed turn_iterations 3');
  assert.equal((await room.sessions.meta(session)).closed, true);
});

test('where the root has no step left, what is spawned answers at once without tools', async (t) => {
  const model = saidModel({ text: 'Nothing left.' });
  const { room, run } = await spawnedRoom(t, { model });
  const report = await run(budgetOf(room, 0));
  assert.deepEqual([report.code, report.steps], ['turn_iterations', 1]);
  assert.deepEqual(model.requests[0]?.tools, []);
});

test('a session that was made for a turn is closed by the end of it', async (t) => {
  const { room, run, session } = await spawnedRoom(t, { model: saidModel({ text: 'ok' }) });
  await run(budgetOf(room, 5));
  assert.deepEqual(
    [(await room.sessions.meta(session)).closed, (await room.sessions.meta(room.session)).closed],
    [true, false],
  );
});

test('what is spawned uses no more Runners than who gave the task', async (t) => {
  const config = { runners: ['a', 'b'] };
  const { room, run } = await spawnedRoom(t, { model: saidModel({ text: 'ok' }), config });
  const used: (readonly string[] | undefined)[] = [];
  t.mock.method(room.turns, 'add', ({ config: own }: RunningTurn) => {
    used.push(own.runners);
    return () => {};
  });
  const budget = budgetOf(room, 5);
  const spawned = { by: 'trn_parent_0000000000000000', budget, depth: 1, tools: [] };
  await run(budget, { spawned: { ...spawned, runners: ['b', 'c'] } });
  assert.deepEqual(used, [['b']]);
});

test('its tokens count in the root’s turn and session, and its rows say so', async (t) => {
  const { room, run } = await spawnedRoom(t, { model: saidModel({ text: 'ok' }) });
  await run(budgetOf(room, 5));
  const rows = await room.store.read<Record<string, string>>(
    'SELECT turn, root, session FROM usage LIMIT 10',
  );
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ turn: 'trn_child_00000000000000000', root: 'trn_parent_0000000000000000', session: room.session }],
  );
  const turns = await room.store.read<Record<string, string>>('SELECT root, parent FROM turns LIMIT 10');
  assert.deepEqual(
    turns.map((row) => ({ ...row })),
    [{ root: 'trn_parent_0000000000000000', parent: 'trn_parent_0000000000000000' }],
  );
});

test('the ceiling of the root’s turn ends what it spawned', async (t) => {
  const usage = { input: 90, output: 20, cached: 0, written: 0, reasoning: 0 };
  const model = saidModel({ calls: [look('a')], usage });
  const { room, run } = await spawnedRoom(t, { model, limits: { turn_tokens: 200 } });
  const report = await run(budgetOf(room, 50));
  assert.deepEqual([report.status, report.ceiling?.scope], ['ceiling', 'turn']);
});

test('a worker speaks with its own words, model and tools, and writes under its own name', async (t) => {
  const model = saidModel({ calls: [{ name: 'see' }] }, { text: 'Seen.' });
  const config = { system_prompt: 'You are Ann.', model: 'local/script' };
  const { room, run, session } = await spawnedRoom(t, { model, config });
  const worker = { name: 'scout', systemPrompt: 'You scout.', model: 'local/other', tools: ['look'] };
  const report = await run(budgetOf(room, 5), { worker });
  const [first] = model.requests;
  assert.equal(first?.meta.worker, 'scout');
  assert.match(first?.messages[0]?.text ?? '', /You scout\./);
  assert.doesNotMatch(first?.messages[0]?.text ?? '', /You are Ann/);
  assert.deepEqual(
    first?.tools.map(({ name }) => name),
    ['look'],
  );
  assert.equal(report.calls[0]?.code, 'tool_not_allowed');
  const entries = await room.entries(session);
  const ack = entries.find(({ type }) => type === 'ack');
  assert.ok(ack?.type === 'ack' && ack.model === 'local/other');
  const own = entries.filter(({ type }) => type !== 'directive');
  assert.deepEqual(
    [...new Set(own.map(({ from }) => `${from.id === room.agent.id} ${from.name}`))],
    ['true worker:scout'],
  );
});

test('a worker’s own bound on steps holds', async (t) => {
  const model = saidModel({ calls: [look('a')] }, { text: 'One look.' });
  const { room, run } = await spawnedRoom(t, { model });
  const report = await run(budgetOf(room, 5), { worker: { name: 'scout', maxIterations: 1 } });
  assert.deepEqual([report.code, report.steps], ['turn_iterations', 2]);
});

test('a list of tools that the parent obeys is obeyed below it', async (t) => {
  const model = saidModel({ calls: [{ name: 'see' }] }, { text: 'No.' });
  const { room, run } = await spawnedRoom(t, { model });
  const budget = budgetOf(room, 5);
  const report = await run(budget, {
    spawned: { by: 'trn_parent_0000000000000000', budget, depth: 1, tools: [['look'], undefined] },
  });
  assert.deepEqual(
    model.requests[0]?.tools.map(({ name }) => name),
    ['look'],
  );
  assert.equal(report.calls[0]?.code, 'tool_not_allowed');
});

test('a directive is answered by nobody’s approval unless somebody listens', async (t) => {
  const asking = defineExtension({
    name: 'asking',
    version: '1.0.0',
    tools: { ask: { about: 'Asks.', args: {}, approval: 'always', run: () => 'did' } },
  });
  const options = { model: saidModel({ calls: [{ name: 'ask' }] }, { text: 'ok' }), extensions: [asking] };
  const { room, run } = await spawnedRoom(t, options);
  const alone = new TurnBudget({
    root: 'trn_parent_0000000000000000',
    rootSession: 'ses_nobody',
    iterations: 5,
  });
  const report = await run(alone);
  assert.equal(report.calls[0]?.code, 'approval_unattended');
  assert.equal(room.events.attended(room.session), true);
});

test('a decision that was taken for the whole turn is written as what it was taken by', async (t) => {
  const asking = defineExtension({
    name: 'asking',
    version: '1.0.0',
    tools: { ask: { about: 'Asks.', args: {}, approval: 'always', run: () => 'did' } },
  });
  const model = saidModel({ calls: [{ name: 'ask' }] }, { text: 'ok' });
  const room = await turnRoom(t, { model, extensions: [asking] });
  const report = await room.ask('Go', {
    attended: () => false,
    preApproved: (tool) => (tool === 'ask' ? 'run --approve' : undefined),
  });
  assert.equal(report.calls[0]?.text, 'did');
  const decision = (await room.entries()).find(({ type }) => type === 'approval_decision');
  assert.ok(decision?.type === 'approval_decision' && decision.via === 'run --approve');
});
