import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import type { Peer, Store } from '@fairlead/store';
import { hygiene } from '@fairlead/testing';
import type { EntryBody } from '../../src/entries/entry.ts';
import { recoverSessions } from '../../src/sessions/recovery.ts';
import { beginTurn, endTurn, speakerOf } from '../../src/sessions/turns.ts';
import { nextTurn, pendingWakes } from '../../src/sessions/wakes.ts';
import { type HostFloor, hostFloor } from '../host-floor.ts';
import { NO_USAGE, type Room, room } from './session-room.ts';

type Context = Parameters<typeof hygiene>[0] & { after(hook: () => unknown): void };

const APPROVAL = `INSERT INTO approvals
  (id, principal, target, digest, session, turn, call, tool, risk, shown, state, opened_at, boot)
  VALUES (?, 'agent:a', 't', 'd', ?, NULL, 'call_9', 'shell', 'high', '{}', ?, 1, 'boot_1')`;

function callOf(call: string, step: number): EntryBody {
  const tool = { tool: 'shell', extension: 'core', tier: 'in_process', target: 'ext:core/shell#d' } as const;
  return { type: 'tool_call', call, turn: 'trn_root', step, ...tool, arguments: {}, digest: 'd' };
}

/** A host that ended in the middle of everything: a turn with two calls, its child, approvals, a directive of the child's. */
async function cutShort(t: Context, host?: HostFloor) {
  const made = await room(t, host === undefined ? {} : { host });
  const { agents, sessions, peer, store, journal } = made;
  const ann = await agents.create('ann');
  const session = await sessions.create({ agents: ['ann'] });
  const child = await sessions.create({
    agents: ['ann'],
    parent: { session, turn: 'trn_root', call: 'call_2' },
  });
  const waiting = await sessions.create({
    agents: ['ann'],
    parent: { session: child, turn: 'trn_child', call: 'call_3' },
  });
  await made.say(session, { type: 'message', text: 'begin', mentions: [] });
  await made.say(child, { type: 'directive', text: 'part', parent: 'trn_root' }, speakerOf(ann));
  await made.say(waiting, { type: 'directive', text: 'part of it', parent: 'trn_child' }, speakerOf(ann));
  await made.fed();
  for (const [id, turn] of [
    [session, 'trn_root'],
    [child, 'trn_child'],
  ] as const) {
    const wakes = nextTurn(await pendingWakes(store, id))?.wakes ?? [];
    const spawned = id === child ? { root: 'trn_root', parent: 'trn_root' } : {};
    await beginTurn(made, { turn, session: id, agent: ann, model: 'local/m', wakes, ...spawned });
  }
  for (const [index, call] of ['call_1', 'call_2'].entries()) {
    const entry = { id: call, principal: `agent:${ann.id}`, action: 'shell', bindingPresent: false };
    const place = {
      session,
      turn: 'trn_root',
      extension: 'core',
      tier: 'in_process',
      target: 'ext:core/shell#d',
    };
    await made.say(session, callOf(call, index), speakerOf(ann));
    await store.write(journal.sessionIntent(entry, place));
  }
  await store.write([journal.sessionEnd('call_1', { certainty: 'completed', code: null, text: 'done' })]);
  const approvals = [
    ['apr_1', session, 'open'],
    ['apr_2', session, 'approved'],
    ['apr_3', null, 'open'],
    ['apr_4', session, 'used'],
  ] as const;
  await store.write(approvals.map((parameters) => ({ sql: APPROVAL, parameters: [...parameters] })));
  await store.write([
    {
      sql: `INSERT INTO usage (seq, at, day, turn, root, session, agent, model, input, output, cached, written, reasoning, nanousd, estimated)
        VALUES (1, 1, 'd', 'trn_root', 'trn_root', ?, ?, 'local/m', 10, 5, 2, 1, 3, 70, 0)`,
      parameters: [session, ann.id],
    },
  ]);
  return { made, host: made.host, session, child, waiting, ann, peer };
}

/** What recovery leaves, without ids and times. */
async function gist(made: Room, ids: readonly string[]) {
  const sessions = [];
  for (const id of ids) {
    const entries = (await made.entries(id)) as readonly JsonObject[];
    const { closed } = await made.sessions.meta(id);
    const said = entries.map((entry) =>
      [
        entry['type'],
        entry['turn'],
        entry['call'],
        entry['approval'],
        entry['status'],
        entry['certainty'],
        entry['decision'],
      ]
        .filter((part) => part !== undefined)
        .join(' '),
    );
    sessions.push({ said, closed, wakes: await made.wakes(id) });
  }
  const turns = await made.store.read<{ gist: string }>(
    "SELECT turn || ' ' || state AS gist FROM turns ORDER BY seq",
  );
  const approvals = await made.store.read<{ gist: string }>(
    "SELECT id || ' ' || state AS gist FROM approvals ORDER BY id",
  );
  return { sessions, rows: [...turns, ...approvals].map((row) => row.gist) };
}

const EXPECTED = {
  sessions: [
    {
      said: [
        'message',
        'ack trn_root',
        'tool_call trn_root call_1',
        'tool_call trn_root call_2',
        'tool_result trn_root call_1 completed',
        'tool_result trn_root call_2 outcome_unknown',
        'turn_end trn_root interrupted',
        'approval_decision apr_1 cancelled',
        'approval_decision apr_2 cancelled',
      ],
      closed: false,
      wakes: ['ann:done'],
    },
    {
      said: ['directive', 'ack trn_child', 'turn_end trn_child interrupted'],
      closed: true,
      wakes: ['ann:done'],
    },
    { said: ['directive'], closed: true, wakes: ['ann:ignored:parent_over'] },
  ],
  rows: [
    ...['trn_root interrupted', 'trn_child interrupted'],
    ...['apr_1 cancelled', 'apr_2 cancelled', 'apr_3 cancelled', 'apr_4 used'],
  ],
};

test('a start says the truth about what the one before left in its middle, children before parents', async (t) => {
  hygiene(t);
  const { host, session, child, waiting } = await cutShort(t);
  const next = await room(t, { host, boot: 'boot_2' });
  let slots = 0;
  const recovered = await recoverSessions(next, {
    journal: next.journal,
    slots: async () => {
      slots += 1;
    },
  });
  assert.deepEqual(
    { ...recovered, turns: recovered.turns.map(({ turn }) => turn) },
    {
      interruptedCalls: 1,
      results: 2,
      turns: ['trn_child', 'trn_root'],
      approvals: 3,
      directives: 1,
      waiting: [],
    },
  );
  assert.equal(slots, 1);
  assert.deepEqual(await gist(next, [session, child, waiting]), EXPECTED);
  const entries = (await next.entries(session)) as readonly JsonObject[];
  assert.partialDeepStrictEqual(entries[4], { text: 'done', error: false, bytes: 4 });
  assert.partialDeepStrictEqual(entries[5], { error: true, code: 'invocation_interrupted' });
  assert.partialDeepStrictEqual(entries[6], {
    ...{ usage: { input: 10, output: 5, cached: 2, written: 1, reasoning: 3 }, nanousd: 70, steps: 2 },
  });
});

test('recovery run again does nothing', async (t) => {
  hygiene(t);
  const { host, session, child, waiting } = await cutShort(t);
  const next = await room(t, { host, boot: 'boot_2' });
  await recoverSessions(next, next);
  const again = await recoverSessions(next, next);
  assert.deepEqual(again, {
    interruptedCalls: 0,
    results: 0,
    turns: [],
    approvals: 0,
    directives: 0,
    waiting: [],
  });
  assert.deepEqual(await gist(next, [session, child, waiting]), EXPECTED);
});

test('a start that is killed at any step of its recovery leaves the next one to finish it', async (t) => {
  hygiene(t);
  for (let kill = 1; kill < 40; kill += 1) {
    const { host, session, child, waiting } = await cutShort(t, await hostFloor(t, { seed: kill }));
    let writes = 0;
    const tick = () => {
      writes += 1;
      if (writes === kill) throw new Error('killed');
    };
    const store: Store = {
      ...{ read: (sql, parameters) => host.store.read(sql, parameters), close: () => host.store.close() },
      async write(statements, durability) {
        tick();
        return await host.store.write(statements, durability);
      },
      [Symbol.asyncDispose]: () => host.store[Symbol.asyncDispose](),
    };
    const peer = new Proxy(host.peer, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: readonly unknown[]) => {
          if (name === 'transaction') tick();
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    }) as Peer;
    const dying = await room(t, { host: { ...host, store, peer }, boot: 'boot_2' });
    const died = await recoverSessions(dying, dying).then(
      () => false,
      (error: Error) => error.message === 'killed',
    );
    const next = await room(t, { host, boot: 'boot_3' });
    await recoverSessions(next, next);
    assert.deepEqual(await gist(next, [session, child, waiting]), EXPECTED, `killed at write ${kill}`);
    await host.close();
    if (!died) {
      assert.ok(kill > 8, `recovery makes ${writes} writes`);
      return;
    }
  }
  assert.fail('recovery never ended');
});

test('what belongs to a session that is gone is put in order in its rows alone', async (t) => {
  hygiene(t);
  const { host, session, child, waiting, peer } = await cutShort(t);
  for (const id of [session, child, waiting]) await peer.drop(id);
  const next = await room(t, { host, boot: 'boot_2' });
  await recoverSessions(next, next);
  assert.deepEqual((await gist(next, [])).rows, EXPECTED.rows);
  assert.deepEqual(await next.wakes(session), ['ann:ignored:session_gone']);
  assert.deepEqual(await next.journal.owedResults(0, 10), []);
});

test('what waits survives the restart and is answered; a turn of this start is left alone', async (t) => {
  hygiene(t);
  const made = await room(t);
  const ann = await made.agents.create('ann');
  const session = await made.sessions.create({ agents: ['ann'] });
  await made.say(session, { type: 'message', text: 'hi', mentions: [] });
  await made.fed();
  const next = await room(t, { host: made.host, boot: 'boot_2' });
  assert.deepEqual((await recoverSessions(next, next)).waiting, [session]);
  await beginTurn(next, {
    turn: 'trn_1',
    session,
    agent: ann,
    model: 'local/m',
    wakes: await pendingWakes(next.store, session),
  });
  assert.deepEqual((await recoverSessions(next, next)).turns, []);
  const end = {
    turn: 'trn_1',
    session,
    agent: ann,
    status: 'failed',
    code: 'model_timeout',
    usage: NO_USAGE,
    nanousd: null,
    steps: 0,
  } as const;
  assert.equal(
    await endTurn(next, { ...end, entries: [{ type: 'error', code: 'model_timeout', text: 'silent' }] }),
    true,
  );
  assert.deepEqual((await gist(next, [session])).sessions[0]?.said, [
    ...['message', 'ack trn_1', 'error', 'turn_end trn_1 failed'],
  ]);
  await beginTurn(next, {
    turn: 'trn_2',
    session,
    agent: ann,
    model: 'local/m',
    wakes: [],
    resumes: 'trn_1',
    slot: 's',
  });
  assert.partialDeepStrictEqual((await next.entries(session)).at(-1), {
    type: 'ack',
    for: [],
    resumes: 'trn_1',
  });
});
