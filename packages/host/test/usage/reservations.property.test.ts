import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '@fairlead/store';
import { hygiene, manualClock, temporaryFolder } from '@fairlead/testing';
import fc from 'fast-check';
import { OwedWrites } from '../../src/sessions/owed-writes.ts';
import { RunningSums } from '../../src/usage/running-sums.ts';
import { UsageLedger } from '../../src/usage/usage-ledger.ts';

const LIMITS = { turn: 400, session: 700, agentDay: 900, day: 1200 };
const CEILINGS = {
  turn: { tokens: LIMITS.turn, nanousd: 0 },
  session: { tokens: LIMITS.session, nanousd: 0 },
  agentDay: { tokens: LIMITS.agentDay, nanousd: 0 },
  day: { tokens: LIMITS.day, nanousd: LIMITS.day },
};
const PRICE = { input: 1_000_000, output: 1_000_000, cached: 1_000_000, written: 1_000_000 };

const attempt = fc.record({
  root: fc.integer({ min: 0, max: 3 }),
  session: fc.integer({ min: 0, max: 1 }),
  agent: fc.integer({ min: 0, max: 1 }),
  estimate: fc.integer({ min: 0, max: 200 }),
  /** Of the estimate, in percent: a reply that says less, or the same. */
  used: fc.integer({ min: 0, max: 100 }),
  known: fc.boolean(),
});

test('however many reserve at once, what is used and reserved stays below every ceiling, and the sums are those of the rows', async (t) => {
  hygiene(t);
  let run = 0;
  const folder = temporaryFolder(t);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(attempt, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 }),
      async (waves) => {
        run += 1;
        const clock = manualClock();
        await using store = await openStore({ path: join(folder, `${run}.db`), clock });
        const owed = new OwedWrites(clock);
        const settings = { ceilings: CEILINGS, zone: 'UTC' };
        const open = () => UsageLedger.open({ store, owed, clock, settings });
        const ledger = await open();
        const subjects = new Map<string, Parameters<UsageLedger['attempts']>[0]>();
        const below = async () => {
          for (const subject of subjects.values()) {
            const totals = await ledger.totals(subject);
            assert.ok(totals.turn.tokens < LIMITS.turn, `turn ${totals.turn.tokens}`);
            assert.ok(totals.session.tokens < LIMITS.session);
            assert.ok(totals.agent_day.tokens < LIMITS.agentDay);
            assert.ok(totals.day.tokens < LIMITS.day);
          }
        };
        for (const wave of waves) {
          const settling = wave.map(async ({ root, session, agent, estimate, used, known }) => {
            const subject = {
              turn: `t${root}`,
              root: `t${root}`,
              session: `s${session}`,
              agent: `a${agent}`,
            };
            subjects.set(JSON.stringify(subject), subject);
            const result = await ledger
              .attempts(subject, { ref: 'm', price: PRICE })
              .open({ input: estimate });
            if (!result.ok) return;
            const input = Math.floor((estimate * used) / 100);
            await result.attempt.settle(
              known
                ? { known: true, usage: { input, output: 0, cached: 0, written: 0, reasoning: 0 } }
                : { known: false, output: 0 },
            );
          });
          await below();
          await Promise.all(settling);
          await below();
        }
        const fresh = await open();
        for (const subject of subjects.values())
          assert.deepEqual(await ledger.totals(subject), await fresh.totals(subject));
      },
    ),
    { numRuns: 25 },
  );
});

test('sums that nothing runs under give way, and are read again with all that was written since', async () => {
  const rows = new Map<string, number>();
  let reads = 0;
  const sums = new RunningSums(async (key) => {
    reads += 1;
    await Promise.resolve();
    return { tokens: rows.get(key.scope === 'session' ? key.session : '') ?? 0, nanousd: 0 };
  }, 2);
  const key = (session: string) => ({ scope: 'session', session }) as const;
  const [held] = await sums.with([key('a')], (all) => {
    for (const sum of all) sum.reserve({ tokens: 5, nanousd: 0 });
    return all;
  });
  for (const session of ['b', 'c', 'd', 'e']) await sums.with([key(session)], () => {});
  assert.equal(sums.size, 2);
  // The one that is reserved under stays.
  await sums.with([key('a')], ([sum]) => assert.deepEqual(sum?.total, { tokens: 5, nanousd: 0 }));
  assert.equal(reads, 5);
  held?.settle({ tokens: 5, nanousd: 0 }, { tokens: 7, nanousd: 0 });
  rows.set('a', 7);
  held?.release();
  for (const session of ['f', 'g', 'h']) await sums.with([key(session)], () => {});
  await sums.with([key('a')], ([sum]) => assert.deepEqual(sum?.total, { tokens: 7, nanousd: 0 }));
  assert.equal(reads, 9);
  await sums.with([key('x'), key('y'), key('z')], (all) => assert.equal(all.length, 3));
  assert.equal(sums.size, 2);
  // At the same time they take each other's room, and each has its own all the same.
  await Promise.all(
    ['i', 'j', 'k', 'l'].map((session) =>
      sums.with([key(session), key('a')], ([, sum]) => assert.equal(sum?.total.tokens, 7)),
    ),
  );
});
