import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock, systemRandom } from '@fairlead/base';
import { openPeer, openStore, type Table } from '@fairlead/store';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { interleave } from '../harness/interleave.ts';
import { ratioRow } from '../harness/row.ts';

const WRITERS = 32;
const WRITES_A_ROUND = 100;
const BATCHES_A_ROUND = 25;

/** At least half of the raw rate, and 0.35 of it for many: at most so many times the time. */
const ONE_WRITER_MAX = 2;
const MANY_WRITERS_MAX = 2.85;

export const storeAppend: Bench = {
  name: 'append',
  title: 'a signed, durable entry of 500 bytes in a session',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const entries = await sessionEntries(context, stack);
    const raw = rawRows(context, stack);
    let next = 0;
    const value = () => {
      next += 1;
      return entryOf(next);
    };
    const measured = await interleave(
      [
        {
          unit: 'µs',
          round: async () => ({
            'signed append': await timed(WRITES_A_ROUND, () => entries.append(value())),
          }),
        },
        {
          unit: 'µs',
          round: async () => ({ 'raw row': await timed(WRITES_A_ROUND, async () => raw([value()])) }),
        },
        {
          unit: 'µs',
          round: async () => ({
            [`${WRITERS} appends in flight`]: await timed(BATCHES_A_ROUND, () =>
              Promise.all(Array.from({ length: WRITERS }, () => entries.append(value()))),
            ),
          }),
        },
        {
          unit: 'µs',
          round: async () => ({
            [`raw ${WRITERS} rows`]: await timed(BATCHES_A_ROUND, async () =>
              raw(Array.from({ length: WRITERS }, value)),
            ),
          }),
        },
      ],
      context.plan(40, 4, 3),
    );
    const { 'signed append': one, 'raw row': rawOne } = measured;
    const many = measured[`${WRITERS} appends in flight`];
    const rawMany = measured[`raw ${WRITERS} rows`];
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow('one writer against raw one-row transactions', one, rawOne, ONE_WRITER_MAX),
        ratioRow(
          `${WRITERS} writers against raw transactions of as many rows`,
          many,
          rawMany,
          MANY_WRITERS_MAX,
        ),
      ],
    };
  },
};

async function sessionEntries(context: BenchContext, stack: AsyncDisposableStack): Promise<Table> {
  const stateDirectory = join(context.folder, 'state');
  await mkdir(stateDirectory, { mode: 0o700 });
  const clock = systemClock();
  const store = stack.use(await openStore({ path: join(stateDirectory, 'fairlead.db'), clock }));
  const peer = stack.use(await openPeer({ store, stateDirectory, clock, random: systemRandom() }));
  return (await peer.create('session')).table('entries');
}

/** The least that keeps rows durably: one table, one statement, the same JSON as text, a sync for each transaction. */
function rawRows(context: BenchContext, stack: AsyncDisposableStack): (values: readonly object[]) => void {
  const database = new DatabaseSync(join(context.folder, 'raw.db'));
  stack.defer(() => database.close());
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE entries (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
  const begin = database.prepare('BEGIN IMMEDIATE');
  const insert = database.prepare('INSERT INTO entries (body) VALUES (?)');
  const commit = database.prepare('COMMIT');
  return (values) => {
    begin.run();
    for (const value of values) insert.run(JSON.stringify(value));
    commit.run();
  };
}

function entryOf(index: number) {
  return {
    type: 'message',
    id: `entry-${index}`,
    from: { kind: 'person', id: 'token:operator' },
    at: 1_780_000_000_000 + index,
    text: `${index} ${'lorem ipsum dolor sit amet '.repeat(15)}`,
  };
}

async function timed(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const startedMs = performance.now();
    await work();
    samples.push((performance.now() - startedMs) * 1_000);
  }
  return samples;
}
