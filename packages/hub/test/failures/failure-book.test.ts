import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore, type Store } from '@fairlead/store';
import { hygiene, manualClock, temporaryFolder } from '@fairlead/testing';
import { FailureBook } from '../../src/failures/failure-book.ts';
import type { HubReport } from '../../src/report.ts';
import { noStore } from '../registry-floor.ts';

const PLACE = { name: 'notes', scope: 'session', key: 'ses_1' } as const;
const BROKEN = { ...PLACE, code: 'instantiate_failed', reason: 'no space left' };

function openBook(store: Store, clock = manualClock()) {
  const reports: HubReport[] = [];
  return {
    clock,
    reports,
    opening: FailureBook.open({ store, clock, report: (line) => void reports.push(line) }),
  };
}

const rowsOf = (store: Store) =>
  store.read<Record<string, unknown>>('SELECT * FROM extension_failures ORDER BY name, scope, key LIMIT 100');

test('failures are written behind the answer, as often as they happen, and removed when it works', async (t) => {
  hygiene(t);
  const store = await openStore({ path: join(temporaryFolder(t), 'fairlead.db'), clock: manualClock() });
  const { opening } = openBook(store);
  const book = await opening;
  book.record(BROKEN);
  book.record({ ...BROKEN, reason: 'still none' });
  book.record({
    name: 'maps',
    scope: 'install',
    key: '',
    code: 'manifest_invalid',
    reason: 'x',
    retried: false,
  });
  await book.flush();
  assert.deepEqual(
    (await rowsOf(store)).map((row) => ({ ...row })),
    [
      {
        name: 'maps',
        scope: 'install',
        key: '',
        code: 'manifest_invalid',
        reason: 'x',
        tries: 1,
        next_try_ms: null,
      },
      {
        name: 'notes',
        scope: 'session',
        key: 'ses_1',
        code: 'instantiate_failed',
        reason: 'still none',
        tries: 2,
        next_try_ms: Date.UTC(2026, 0, 1) + 2000,
      },
    ],
  );
  book.clear('notes', 'session', 'ses_1');
  book.clear('notes', 'session', 'ses_1');
  await book.flush();
  assert.deepEqual(
    (await rowsOf(store)).map(({ name }) => name),
    ['maps'],
  );
  book.clearAll('maps');
  book.clearAll('maps');
  await book.flush();
  assert.deepEqual(await rowsOf(store), []);
  await store.close();
});

test('what an earlier start left is known, due at once, and forgotten where nothing is installed under its name', async (t) => {
  hygiene(t);
  const store = await openStore({ path: join(temporaryFolder(t), 'fairlead.db'), clock: manualClock() });
  const first = await openBook(store).opening;
  for (const name of ['notes', 'maps', 'gone'])
    for (let time = 0; time < 3; time += 1) first.record({ ...BROKEN, name });
  first.record({ ...BROKEN, name: 'maps', scope: 'install', key: '', retried: false });
  await first.flush();
  const { opening, clock } = openBook(store);
  const book = await opening;
  assert.deepEqual(
    book.all().map(({ name, scope, tries }) => [name, scope, tries]),
    [
      ['gone', 'session', 3],
      ['maps', 'install', 1],
      ['maps', 'session', 3],
      ['notes', 'session', 3],
    ],
  );
  assert.equal(book.isDue('notes', 'session', 'ses_1'), true);
  assert.equal(book.isDue('maps', 'install', ''), false, 'only a reload tries again');
  book.retain(new Set(['notes', 'maps']));
  await book.flush();
  assert.deepEqual(
    (await rowsOf(store)).map(({ name }) => name),
    ['maps', 'maps', 'notes'],
  );
  // The next failure goes on where the pauses were.
  assert.equal(book.record(BROKEN).nextTryMs, clock.wallMs() + 8000);
  await book.flush();
  await store.close();
});

test('a pause doubles from 1 s up to 5 minutes, by the monotonic clock', async () => {
  const { opening, clock } = openBook(noStore());
  const book = await opening;
  const pauses: (number | undefined)[] = [];
  for (let time = 0; time < 11; time += 1) {
    book.record(BROKEN);
    const due = book.nextDueMs('session', 'ses_1');
    pauses.push(due === undefined ? undefined : due - clock.monotonicMs());
  }
  assert.deepEqual(
    pauses,
    [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000],
  );
  clock.jumpWall(86_400_000);
  assert.equal(book.isDue('notes', 'session', 'ses_1'), false, 'a clock that is set changes nothing');
  await clock.advance(299_999);
  assert.equal(book.isDue('notes', 'session', 'ses_1'), false);
  await clock.advance(1);
  assert.equal(book.isDue('notes', 'session', 'ses_1'), true);
  assert.equal(book.nextDueMs('session', 'ses_1'), undefined, 'a pause that is over is waited for by nobody');
});

test('places are told apart, and the earliest pause of one is known', async () => {
  const { opening } = openBook(noStore());
  const book = await opening;
  book.record(BROKEN);
  book.record({ ...BROKEN, name: 'maps' });
  book.record({ ...BROKEN, name: 'maps' });
  book.record({ ...BROKEN, key: 'ses_2' });
  book.record({ ...BROKEN, scope: 'agent' });
  assert.deepEqual(book.all().length, 4);
  assert.equal(book.nextDueMs('session', 'ses_1'), 1000);
  assert.equal(book.nextDueMs('global', ''), undefined);
  assert.equal(book.of('notes', 'session', 'ses_3'), undefined);
  book.clearAll('notes');
  assert.equal(book.nextDueMs('session', 'ses_1'), 2000);
});

test('at most 4,096 are kept; the oldest give way, in the table too', async (t) => {
  hygiene(t);
  const store = await openStore({ path: join(temporaryFolder(t), 'fairlead.db'), clock: manualClock() });
  const book = await openBook(store).opening;
  for (let count = 0; count < 4098; count += 1) {
    book.record({ ...BROKEN, key: `ses_${count}` });
    if (count % 1000 === 0) await book.flush();
  }
  await book.flush();
  assert.equal(book.all().length, 4096);
  assert.deepEqual(
    [book.of('notes', 'session', 'ses_1'), book.of('notes', 'session', 'ses_2')?.tries],
    [undefined, 1],
  );
  const [row] = await store.read<{ count: number }>('SELECT count(*) AS count FROM extension_failures');
  assert.equal(row?.count, 4096);
  await store.close();
});

test('what cannot be written is known all the same, and told', async () => {
  const store: Store = {
    ...noStore(),
    write: () => Promise.reject(Object.assign(new Error('the disk is full'), { code: 'store_disk_full' })),
  };
  const { opening, reports } = openBook(store);
  const book = await opening;
  book.record(BROKEN);
  await book.flush();
  assert.equal(book.of('notes', 'session', 'ses_1')?.reason, 'no space left');
  assert.deepEqual(reports, [{ code: 'failure_not_written', reason: 'the disk is full' }]);
});
