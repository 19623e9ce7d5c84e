import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { openStore, type Store } from '@fairlead/store';
import { hygiene, type ManualClock, manualClock, temporaryFolder } from '@fairlead/testing';
import type { AttemptCost, OpenAttempt } from '../../src/models/step/attempt-ledger.ts';
import { OwedWrites } from '../../src/sessions/owed-writes.ts';
import type { Ceilings } from '../../src/usage/ceilings.ts';
import { UsageLedger } from '../../src/usage/usage-ledger.ts';

const OFF = { tokens: 0, nanousd: 0 };
const NONE: Ceilings = { turn: OFF, session: OFF, agentDay: OFF, day: OFF };
const WHO = { turn: 'trn_1', root: 'trn_1', session: 'ses_1', agent: 'agt_1' };
/** One nano-dollar for a token of input, two for one of output. */
const PRICED = {
  ref: 'a/priced',
  price: { input: 1_000_000, output: 2_000_000, cached: 1_000_000, written: 1_000_000 },
};
const FREE = { ref: 'a/free' };

async function setUp(t: { after(hook: () => unknown): void }, ceilings: Partial<Ceilings> = {}) {
  hygiene(t);
  const path = join(temporaryFolder(t), 'fairlead.db');
  const clock = manualClock({ startWallMs: Date.UTC(2026, 0, 1, 22, 0, 0) });
  const store = await openStore({ path, clock });
  t.after(() => store.close());
  const open = () =>
    UsageLedger.open({
      store,
      owed: new OwedWrites(clock),
      clock,
      settings: { ceilings: { ...NONE, ...ceilings }, zone: 'Europe/Berlin' },
    });
  return { store, clock, open, ledger: await open() };
}

function known(input: number, output: number): AttemptCost {
  return { known: true, usage: { input, output, cached: 0, written: 0, reasoning: 0 } };
}

async function opened(ledger: UsageLedger, input: number, who = WHO, model = PRICED): Promise<OpenAttempt> {
  const result = await ledger.attempts(who, model).open({ input });
  assert.ok(result.ok, JSON.stringify(result));
  return result.attempt;
}

async function rows(store: Store): Promise<unknown[]> {
  const all = await store.read<Record<string, unknown>>('SELECT * FROM usage ORDER BY seq LIMIT 100');
  return all.map((row) => Object.values(row));
}

test('an attempt is written with its estimate before it is made, and corrected after it', async (t) => {
  const { store, ledger, clock } = await setUp(t);
  const attempt = await opened(ledger, 100);
  const at = Date.UTC(2026, 0, 1, 22, 0, 0);
  const who = ['2026-01-01', 'trn_1', 'trn_1', 'ses_1', 'agt_1', 'a/priced'];
  assert.deepEqual(await rows(store), [[1, at, ...who, 100, 0, 0, 0, 0, 100, 1]]);
  await clock.advance(5000);
  const usage = { input: 120, output: 30, cached: 50, written: 10, reasoning: 20 };
  assert.deepEqual(await attempt.settle({ known: true, usage }), { nanousd: 180 });
  assert.deepEqual(await rows(store), [[1, at, ...who, 120, 30, 50, 10, 20, 180, 0]]);
  await assert.rejects(attempt.settle(known(1, 1)), /settled once/);
});

test('where nobody knows what it cost, the estimate stands, with what came of the reply', async (t) => {
  const { store, ledger } = await setUp(t);
  const attempt = await opened(ledger, 100);
  assert.deepEqual(await attempt.settle({ known: false, output: 7 }), { nanousd: 114 });
  const [row] = await store.read<Record<string, unknown>>(
    'SELECT input, output, nanousd, estimated FROM usage LIMIT 1',
  );
  assert.deepEqual({ ...row }, { input: 100, output: 7, nanousd: 114, estimated: 1 });
});

test('a model without a price has no money in its rows, and no ceiling on money holds it', async (t) => {
  const { ledger } = await setUp(t, { turn: { tokens: 0, nanousd: 1 } });
  const attempt = await opened(ledger, 100, WHO, FREE as typeof PRICED);
  assert.deepEqual(await attempt.settle(known(100, 50)), { nanousd: null });
  assert.deepEqual((await ledger.totals(WHO)).turn, { tokens: 150, nanousd: 0 });
});

test('the day is that of the zone, and an attempt stays in the day that it began in', async (t) => {
  const { store, ledger, clock } = await setUp(t, { day: { tokens: 150, nanousd: 0 } });
  const late = await opened(ledger, 100);
  assert.equal(new Date(ledger.dayEndsAtMs()).toISOString(), '2026-01-01T23:00:00.000Z');
  await clock.advance(3_600_000);
  const early = await opened(ledger, 100);
  await late.settle(known(100, 40));
  await early.settle(known(100, 0));
  const days = await store.read<{ day: string }>(
    'SELECT day, input + output AS tokens FROM usage ORDER BY seq LIMIT 9',
  );
  assert.deepEqual(
    days.map((row) => ({ ...row })),
    [
      { day: '2026-01-01', tokens: 140 },
      { day: '2026-01-02', tokens: 100 },
    ],
  );
  assert.equal((await ledger.totals(WHO)).day.tokens, 100);
});

for (const [scope, key, other] of [
  ['turn', 'turn', { root: 'trn_2' }],
  ['session', 'session', { session: 'ses_2' }],
  ['agent_day', 'agentDay', { agent: 'agt_2' }],
  ['day', 'day', null],
] as const)
  for (const unit of ['tokens', 'nanousd'] as const)
    test(`the ceiling of ${scope} in ${unit} holds what is its own`, async (t) => {
      const { ledger, clock } = await setUp(t, { [key]: { ...OFF, [unit]: 100 } });
      await (await opened(ledger, 59)).settle(known(59, 0));
      assert.equal(await ledger.reached(WHO), null);
      // 59 and 40 stay below 100; 59 and 41 do not.
      const refused = await ledger.attempts(WHO, PRICED).open({ input: 41 });
      assert.deepEqual(refused, { ok: false, ceiling: { scope, unit, limit: 100, used: 59 } });
      const running = await opened(ledger, 40);
      assert.deepEqual(await ledger.attempts(WHO, PRICED).open({ input: 1 }), {
        ok: false,
        ceiling: { scope, unit, limit: 100, used: 99 },
      });
      // What it said goes over; nothing was promised about that.
      await running.settle(known(40, 30));
      assert.equal((await ledger.reached(WHO))?.scope, scope);
      if (other !== null) assert.equal(await ledger.reached({ ...WHO, ...other }), null);
      if (scope === 'agent_day' || scope === 'day') {
        await clock.advance(3_600_000);
        assert.equal(await ledger.reached(WHO), null);
      }
    });

test('sums survive a restart, and a host that was killed leaves its estimates', async (t) => {
  const { ledger, open } = await setUp(t, { session: { tokens: 1000, nanousd: 0 } });
  await (await opened(ledger, 100)).settle(known(120, 30));
  await opened(ledger, 200, { ...WHO, turn: 'trn_2', root: 'trn_2' });
  const again = await open();
  const { turn, session, agent_day: agentDay, day } = await again.totals(WHO);
  assert.deepEqual(
    [turn, session, agentDay, day],
    [
      { tokens: 150, nanousd: 180 },
      { tokens: 350, nanousd: 380 },
      { tokens: 350, nanousd: 380 },
      { tokens: 350, nanousd: 380 },
    ],
  );
  const refused = await again.attempts(WHO, PRICED).open({ input: 650 });
  assert.deepEqual(refused, {
    ok: false,
    ceiling: { scope: 'session', unit: 'tokens', limit: 1000, used: 350 },
  });
  await (await opened(again, 1)).settle(known(1, 0));
});

test('a session’s costs are told by model, in the order of their use', async (t) => {
  const { ledger } = await setUp(t);
  await (await opened(ledger, 10)).settle({
    known: true,
    usage: { input: 10, output: 5, cached: 4, written: 2, reasoning: 1 },
  });
  await (await opened(ledger, 10, WHO, FREE as typeof PRICED)).settle({ known: false, output: 1 });
  await (await opened(ledger, 20)).settle(known(20, 5));
  await (await opened(ledger, 99, { ...WHO, session: 'ses_2' })).settle(known(99, 0));
  assert.deepEqual(
    (await ledger.costs('ses_1')).map((cost) => ({ ...cost })),
    [
      {
        model: 'a/priced',
        attempts: 2,
        input: 30,
        output: 10,
        cached: 4,
        written: 2,
        reasoning: 1,
        nanousd: 50,
        unpriced: 0,
        estimated: 0,
      },
      {
        model: 'a/free',
        attempts: 1,
        input: 10,
        output: 1,
        cached: 0,
        written: 0,
        reasoning: 0,
        nanousd: 0,
        unpriced: 1,
        estimated: 1,
      },
    ],
  );
  assert.deepEqual(await ledger.costs('ses_3'), []);
});

test('a disk that refuses a row reserves nothing; one that refuses a correction is told', async (t) => {
  const { store, clock } = await setUp(t);
  let failing = false;
  const faulty: Store = {
    read: (sql, parameters) => store.read(sql, parameters),
    write: async (statements, durability) => {
      if (failing) throw new Error('disk');
      return store.write(statements, durability);
    },
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
  const ledger = await openLedger(faulty, clock);
  failing = true;
  await assert.rejects(ledger.attempts(WHO, PRICED).open({ input: 50 }), /disk/);
  failing = false;
  assert.equal((await ledger.totals(WHO)).day.tokens, 0);
  const attempt = await opened(ledger, 50);
  failing = true;
  await assert.rejects(attempt.settle(known(60, 0)), /disk/);
  // Here what is known counts, whatever the disk has.
  assert.equal((await ledger.totals(WHO)).day.tokens, 60);
});

test('a correction that a full disk refuses holds nobody up and is written once there is room, and no attempt begins before', async (t) => {
  const { store, clock } = await setUp(t);
  const ledger = await openLedger(store, clock);
  const attempt = await opened(ledger, 50);
  const disk = t.mock.method(store, 'write', () =>
    Promise.reject(new FairleadError('store_disk_full', 'No room.')),
  );
  assert.deepEqual(await attempt.settle(known(60, 10)), { nanousd: 80 });
  assert.equal((await ledger.totals(WHO)).day.tokens, 70);
  await assert.rejects(ledger.attempts(WHO, PRICED).open({ input: 1 }), { code: 'store_disk_full' });
  disk.mock.restore();
  await (await opened(ledger, 1)).settle(known(1, 0));
  const written = await store.read<Record<string, unknown>>(
    'SELECT input, output, estimated FROM usage ORDER BY seq LIMIT 9',
  );
  assert.deepEqual(
    written.map((row) => ({ ...row })),
    [
      { input: 60, output: 10, estimated: 0 },
      { input: 1, output: 0, estimated: 0 },
    ],
  );
});

function openLedger(store: Store, clock: ManualClock): Promise<UsageLedger> {
  const owed = new OwedWrites(clock);
  return UsageLedger.open({ store, owed, clock, settings: { ceilings: NONE, zone: 'UTC' } });
}
