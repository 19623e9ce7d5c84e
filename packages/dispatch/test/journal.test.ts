import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { completed } from '@fairlead/base';
import { openStore, type Store, storeError } from '@fairlead/store';
import { hygiene, manualClock, temporaryFolder, waitFor } from '@fairlead/testing';
import { Journal } from '../src/index.ts';
import { dispatchFloor, gist } from './dispatch-floor.ts';
import { echoTools, fault } from './fake-runners.ts';

const HELLO = { text: 'hello' };

test('each invocation is one row, with what it was and how it ended', async (t) => {
  const floor = await dispatchFloor(t);
  const binding = await floor.bind();
  const { call } = await floor.invoke({ action: 'call', binding, arguments: HELLO });
  floor.runners.answers.tools_call = () => fault('outcome_unknown', 'plugin_eof');
  await floor.invoke({ action: 'call', binding, arguments: HELLO });
  floor.runners.answers.tools_call = () =>
    completed({ kind: 'tools_call', result: { content: [], isError: true } });
  await floor.invoke({ action: 'call', binding, arguments: { text: 'other' } });
  floor.runners.answers.check = () => fault('not_started', 'plugin_check_busy');
  await floor.invoke({ action: 'check', runner: 'local', plugin: 'echo' });
  await floor.invoke({ action: 'call', binding: 'wc_pbind_unknown', arguments: HELLO });
  await floor.invoke({ action: 'list' });
  const all = { principal: 'token:tok_all', certainty: 'completed', code: null };
  const echo = { runner: 'local', plugin: 'echo' };
  const digest = 'W9ijzOS3MvXMeMipaY_-hOjOaN5g4EFGzTnH-j0bCmo';
  const rows = await floor.rows();
  const [, first] = rows;
  assert.match(String(first?.['arguments_digest']), /^[A-Za-z0-9_-]{43}$/);
  const said = { ...all, ...echo, action: 'call', tool: 'say', binding_present: 1 };
  assert.deepEqual(
    rows.map((row) => ({ ...row, arguments_digest: row['arguments_digest'] === null ? null : 'digest' })),
    [
      { ...all, ...echo, action: 'describe', tool: 'say', binding_present: 0, arguments_digest: null },
      { ...said, arguments_digest: 'digest' },
      { ...said, arguments_digest: 'digest', certainty: 'outcome_unknown', code: 'plugin_eof' },
      { ...said, arguments_digest: 'digest', code: 'plugin_tool_error' },
      {
        ...all,
        ...echo,
        action: 'check',
        tool: null,
        binding_present: 0,
        arguments_digest: null,
        certainty: 'not_started',
        code: 'plugin_check_busy',
      },
      {
        ...said,
        runner: null,
        plugin: null,
        tool: null,
        arguments_digest: null,
        certainty: 'not_started',
        code: 'describe_required',
      },
      {
        ...all,
        action: 'list',
        runner: null,
        plugin: null,
        tool: null,
        binding_present: 0,
        arguments_digest: null,
      },
    ],
  );
  assert.equal(first?.['arguments_digest'], rows[2]?.['arguments_digest']);
  assert.notEqual(first?.['arguments_digest'], rows[3]?.['arguments_digest']);
  assert.equal(first?.['arguments_digest'], digest);
  const stored = await floor.store.read<{ at: number; finished: number; boot: string }>(
    'SELECT at, finished, boot FROM journal WHERE id = ?',
    [call ?? ''],
  );
  assert.deepEqual({ ...stored[0] }, { at: 1_000_000, finished: 1_000_000, boot: 'boot_now' });
});

test('the same arguments have the same digest in any order of keys, for a fresh binding too, not after a reload', async (t) => {
  const floor = await dispatchFloor(t);
  const call = async (given: { a: number; b: number }) => {
    await floor.invoke({ action: 'call', binding: await floor.bind(), arguments: given });
  };
  await call({ a: 1, b: 2 });
  await call({ b: 2, a: 1 });
  floor.runners.answers.tools_list = () => completed(echoTools({ provider_instance: 'instance-2' }));
  await call({ a: 1, b: 2 });
  const digests = (await floor.rows())
    .filter((row) => row['action'] === 'call')
    .map((row) => row['arguments_digest']);
  assert.equal(digests[0], digests[1]);
  assert.notEqual(digests[0], digests[2]);
});

test('no argument, result or foreign text reaches the database, and no binding anything but the table of bindings', async (t) => {
  const floor = await dispatchFloor(t);
  const marker = 'MARKER-of-an-argument';
  floor.runners.answers.tools_call = () =>
    completed({ kind: 'tools_call', result: { content: [{ type: 'text', text: 'MARKER-of-a-result' }] } });
  const binding = await floor.bind();
  await floor.invoke({ action: 'call', binding, arguments: { text: marker, [marker]: [marker] } });
  floor.runners.answers.tools_call = () => fault('outcome_unknown', 'plugin_eof');
  await floor.invoke({ action: 'call', binding, arguments: { text: marker } });
  await floor.invoke({ action: 'call', binding: 'wc_pbind_MARKER-unknown', arguments: { text: marker } });
  await floor.invoke(
    { action: 'call', binding, arguments: { text: marker } },
    { id: 'token:none', scopes: [] },
  );
  await floor.invoke({ action: marker });
  await floor.invoke({ action: 'list', [marker]: marker });
  assert.equal((await floor.rows()).length, 5);
  const readAll = () => ['', '-wal'].map((end) => readFileSync(floor.path + end, 'latin1')).join('');
  const onDisk = readAll();
  assert.match(onDisk, /call_/);
  for (const forbidden of ['MARKER', 'FOREIGN']) assert.equal(onDisk.includes(forbidden), false, forbidden);
  const journal = JSON.stringify(await floor.store.read('SELECT * FROM journal'));
  for (const forbidden of ['wc_pbind_', binding.slice(9)])
    assert.equal(journal.includes(forbidden), false, forbidden);
});

test('names in the journal are cut at 80 characters', async (t) => {
  const floor = await dispatchFloor(t);
  await floor.invoke({ action: 'list', runner: 'r'.repeat(100) });
  assert.equal((await floor.rows())[0]?.['runner'], 'r'.repeat(80));
});

test('an intent is on disk before anything is sent, and its outcome before anybody is told', async (t) => {
  const floor = await dispatchFloor(t);
  const states: unknown[] = [];
  const look = async () =>
    (
      await floor.store.read<{ certainty: string | null }>(
        "SELECT certainty FROM journal WHERE action = 'call'",
      )
    ).map((row) => row.certainty);
  const binding = await floor.bind();
  floor.runners.answers.tools_call = async () => {
    states.push(await look());
    return completed({ kind: 'tools_call', result: { content: [] } });
  };
  await floor.invoke({ action: 'call', binding, arguments: HELLO });
  states.push(await look());
  assert.deepEqual(states, [[null], ['completed']]);
});

test('intents of an earlier start become outcome_unknown; those of this one stay open; ends stand', async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 'fairlead.db');
  const clock = manualClock({ startWallMs: 5_000 });
  const store = await openStore({ path, clock });
  const before = new Journal({ store, clock, boot: 'boot_1' });
  const entry = { principal: 'token:a', action: 'call', bindingPresent: true } as const;
  await before.start({ id: 'call_lost', ...entry });
  await before.start({ id: 'call_ended', ...entry });
  await before.settle('call_ended', { certainty: 'completed', code: null });
  await before.settle('call_ended', { certainty: 'outcome_unknown', code: 'plugin_eof' });
  await before.deny({ id: 'call_denied', ...entry }, 'insufficient_scope');
  await clock.advance(1_000);
  const logged: string[] = [];
  const log = (level: string, event: string) => void logged.push(`${level} ${event}`);
  await using after = new Journal({ store, clock, boot: 'boot_2', log });
  await after.start({ id: 'call_open', ...entry });
  assert.equal(await after.recoverAtStart(), 1);
  assert.equal(await after.recoverAtStart(), 0);
  const rows = await store.read<object>('SELECT id, certainty, code, finished FROM journal ORDER BY seq');
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      ['call_lost', 'outcome_unknown', 'invocation_interrupted', 6_000],
      ['call_ended', 'completed', null, 5_000],
      ['call_denied', 'not_started', 'insufficient_scope', 5_000],
      ['call_open', null, null, null],
    ],
  );
  assert.deepEqual(logged, ['warn journal.recovered']);
  await before.close();
  await after.close();
  await store.close();
});

test('a journal that cannot take the intent stops the invocation before anything is sent', async (t) => {
  const floor = await dispatchFloor(t, { wrap: (store) => failing(store, () => true) });
  const answer = await floor.invoke({ action: 'reload', runner: 'local' });
  assert.deepEqual(answer, {
    action: 'reload',
    certainty: 'not_started',
    error: {
      code: 'journal_unavailable',
      message: 'The invocation could not be written into the journal, so it was not begun.',
      recovery: 'See that the disk of the state directory has room and can be written, then try again.',
    },
  });
  const denied = await floor.invoke({ action: 'reload', runner: 'local' }, { id: 'token:none', scopes: [] });
  assert.deepEqual([gist(denied), denied.call], [['not_started', 'insufficient_scope'], undefined]);
  assert.deepEqual(gist(await floor.invoke({ action: 'list' })), ['completed', undefined]);
  await floor.journal.close();
  assert.deepEqual(floor.runners.sent, []);
  assert.deepEqual(floor.logged, [
    'error journal.intent_not_written',
    'error journal.denial_not_written',
    'warn journal.read_not_written',
  ]);
});

test('an outcome that cannot be written is told all the same, with its true certainty', async (t) => {
  const floor = await dispatchFloor(t, {
    wrap: (store) => failing(store, (sql) => sql.startsWith('UPDATE journal SET certainty = ?')),
  });
  const binding = await floor.bind();
  const answer = await floor.invoke({ action: 'call', binding, arguments: HELLO });
  assert.deepEqual([answer.certainty, answer.error?.code], ['completed', 'journal_unsettled']);
  assert.deepEqual(answer.output, { content: [{ type: 'text', text: 'said' }] });
  floor.runners.answers.tools_call = () => fault('outcome_unknown', 'plugin_eof');
  const unknown = await floor.invoke({ action: 'call', binding, arguments: HELLO });
  assert.deepEqual(
    [unknown.certainty, unknown.error?.code, unknown.error?.detail],
    ['outcome_unknown', 'plugin_eof', { journal: 'unsettled' }],
  );
  assert.deepEqual(floor.logged, [
    'error journal.outcome_not_written',
    'info journal.outcomes_written',
    'error journal.outcome_not_written',
  ]);
});

test('a call whose outcome the disk did not take is not told as running, and its row is settled while the host runs', async (t) => {
  let isFull = true;
  const floor = await dispatchFloor(t, {
    wrap: (store) => failing(store, (sql) => isFull && sql.startsWith('UPDATE journal SET certainty = ?')),
  });
  const binding = await floor.bind();
  const { call = '' } = await floor.invoke({ action: 'call', binding, arguments: HELLO });
  const end = async () =>
    (await floor.store.read<object>('SELECT certainty, code FROM journal WHERE id = ?', [call])).flatMap(
      (row) => Object.values(row),
    );
  const told = async () => (await floor.invoke({ action: 'outcome', call })).output;
  const known = { call, runner: 'local', plugin: 'echo', tool: 'say', certainty: 'completed', settled: true };
  assert.deepEqual(await told(), known);
  await floor.clock.advance(1_000);
  assert.deepEqual([await end(), await told()], [[null, null], known]);
  isFull = false;
  await floor.clock.advance(1_000);
  await waitFor(async () => (await end())[0] === 'completed', { what: 'the end of the call in the journal' });
  assert.deepEqual([await end(), await told()], [['completed', null], known]);
});

test('an unknown outcome that the disk did not take is asked for at the Runner once it is written', async (t) => {
  let isFull = true;
  const floor = await dispatchFloor(t, {
    wrap: (store) => failing(store, (sql) => isFull && sql.startsWith('UPDATE journal SET certainty = ?')),
  });
  const binding = await floor.bind();
  floor.runners.answers.tools_call = () => fault('outcome_unknown', 'plugin_gateway_timeout');
  floor.runners.answers.outcome = ({ request }) => {
    assert.equal(request.kind, 'outcome');
    return completed({
      kind: 'outcome',
      call: 'call' in request ? (request.call ?? '') : '',
      state: 'never_seen',
    });
  };
  const { call = '' } = await floor.invoke({ action: 'call', binding, arguments: HELLO });
  isFull = false;
  await floor.clock.advance(1_000);
  const settlement = async () =>
    (
      await floor.store.read<object>('SELECT code, settled_certainty FROM journal WHERE id = ?', [call])
    ).flatMap((row) => Object.values(row));
  await waitFor(async () => (await settlement())[1] !== null, { what: 'the settlement of the call' });
  assert.deepEqual(await settlement(), ['plugin_gateway_timeout', 'not_started']);
});

test('an outcome that the disk did not take is written with the next intent, or when the journal is closed', async (t) => {
  let isFull = true;
  const floor = await dispatchFloor(t, {
    wrap: (store) => failing(store, (sql) => isFull && sql.startsWith('UPDATE journal SET certainty = ?')),
  });
  const binding = await floor.bind();
  await floor.invoke({ action: 'call', binding, arguments: HELLO });
  await floor.invoke({ action: 'call', binding, arguments: HELLO });
  const ends = async () =>
    (
      await floor.store.read<object>("SELECT certainty FROM journal WHERE action = 'call' ORDER BY seq")
    ).flatMap((row) => Object.values(row));
  assert.deepEqual(await ends(), ['completed', null]);
  isFull = false;
  await floor.journal.close();
  assert.deepEqual(await ends(), ['completed', 'completed']);
});

test('closing the journal waits for the rows of reads', async (t) => {
  const floor = await dispatchFloor(t);
  await Promise.all(Array.from({ length: 50 }, () => floor.invoke({ action: 'list' })));
  assert.equal((await floor.rows()).length, 50);
});

test('rows older than 30 days go, a share at a time, open ones and young ones stay', async (t) => {
  hygiene(t);
  const DAY_MS = 86_400_000;
  const path = join(temporaryFolder(t), 'fairlead.db');
  const clock = manualClock({ startWallMs: 40 * DAY_MS });
  const store = await openStore({ path, clock });
  const journal = new Journal({ store, clock, boot: 'boot' });
  await fill(store, 1_500, 9 * DAY_MS);
  await fill(store, 100, 11 * DAY_MS);
  await store.write([{ sql: 'UPDATE journal SET finished = NULL, certainty = NULL WHERE seq = 7' }]);
  assert.equal(await journal.prune(), 999);
  assert.equal(await journal.prune(), 500);
  assert.equal(await journal.prune(), 0);
  const left = await store.read<object>('SELECT count(*), min(seq), count(finished) FROM journal');
  assert.deepEqual(Object.values(left[0] ?? {}), [101, 7, 100]);
  await journal.close();
  await store.close();
});

test('at most 100,000 rows of effects: what is above goes, oldest finished first, a share at a time', async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 'fairlead.db');
  const clock = manualClock();
  const store = await openStore({ path, clock });
  const journal = new Journal({ store, clock, boot: 'boot' });
  await fill(store, 100_900, clock.wallMs());
  await store.write([{ sql: 'UPDATE journal SET finished = NULL, certainty = NULL WHERE seq = 1' }]);
  assert.equal(await journal.prune(), 1_000);
  assert.equal(await journal.prune(), 400);
  assert.equal(await journal.prune(), 0);
  const left = await store.read<object>('SELECT count(*), min(seq) FROM journal');
  assert.deepEqual(Object.values(left[0] ?? {}), [99_500, 1]);
  const second = await store.read<object>('SELECT min(seq) FROM journal WHERE seq > 1');
  assert.deepEqual(Object.values(second[0] ?? {}), [1_402]);
  await journal.close();
  await store.close();
});

test('a flood of reads or refusals pushes out no effect, and a person is still told that the same call ran', async (t) => {
  hygiene(t);
  const clock = manualClock();
  await using store = await openStore({ path: join(temporaryFolder(t), 'fairlead.db'), clock });
  await using journal = new Journal({ store, clock, boot: 'boot' });
  const same = { principal: 'agent:a', target: 'ext:core/shell#d', argumentsDigest: 'digest' };
  const entry = { ...same, action: 'shell', bindingPresent: false };
  const place = { session: 'ses_1', extension: 'core', tier: 'in_process', target: same.target };
  await store.write(journal.sessionIntent({ ...entry, id: 'call_done' }, place));
  await store.write([
    journal.sessionEnd('call_done', { certainty: 'completed', code: null, text: 'done' }),
    journal.resultStands('call_done'),
  ]);
  await journal.start({ ...entry, id: 'call_unknown' });
  await journal.settle('call_unknown', { certainty: 'outcome_unknown', code: 'plugin_eof' });
  await fill(store, 60_000, clock.wallMs(), { isRead: 1 });
  await fill(store, 40_900, clock.wallMs(), { certainty: 'not_started' });
  assert.equal(await journal.prune(), 1_000);
  assert.equal(await journal.prune(), 400);
  assert.equal(await journal.prune(), 0);
  const left = await store.read<object>(
    "SELECT sum(is_read), sum(certainty = 'not_started'), count(*) FROM journal",
  );
  assert.deepEqual(Object.values(left[0] ?? {}), [58_600, 40_900, 99_502]);
  assert.equal((await journal.find('call_unknown'))?.end?.certainty, 'outcome_unknown');
  const known = { atMs: clock.wallMs(), certainty: 'completed', code: null };
  assert.deepEqual(await journal.recent(same, 0), known);
});

test('a result that a session is owed and a young unknown end are not removed to make room', async (t) => {
  hygiene(t);
  const DAY_MS = 86_400_000;
  const clock = manualClock({ startWallMs: 40 * DAY_MS });
  await using store = await openStore({ path: join(temporaryFolder(t), 'fairlead.db'), clock });
  await using journal = new Journal({ store, clock, boot: 'boot' });
  const now = clock.wallMs();
  await fill(store, 100_900, now);
  await store.write([
    { sql: 'UPDATE journal SET result_owed = 1 WHERE seq = 1' },
    { sql: "UPDATE journal SET certainty = 'outcome_unknown' WHERE seq < 5" },
    { sql: 'UPDATE journal SET at = ? WHERE seq = 3', parameters: [now - DAY_MS] },
    {
      sql: "UPDATE journal SET settled_certainty = 'completed', settled_at = ? WHERE seq = 4",
      parameters: [now],
    },
  ]);
  assert.equal(await journal.prune(), 1_000);
  assert.equal(await journal.prune(), 400);
  assert.equal(await journal.prune(), 0);
  const left = await store.read<{ seq: number }>('SELECT seq FROM journal WHERE seq < 1404 ORDER BY seq');
  assert.deepEqual(
    left.map(({ seq }) => seq),
    [1, 2, 1403],
  );
});

test('unknown ends that are a flood themselves are removed to make room, however young', async (t) => {
  hygiene(t);
  const clock = manualClock();
  await using store = await openStore({ path: join(temporaryFolder(t), 'fairlead.db'), clock });
  await using journal = new Journal({ store, clock, boot: 'boot' });
  await fill(store, 199_500, clock.wallMs(), { certainty: 'outcome_unknown' });
  assert.equal(await journal.prune(), 0);
  await fill(store, 100, clock.wallMs(), { certainty: 'outcome_unknown' });
  assert.equal(await journal.prune(), 1_000);
});

test('what only looks is a read in the journal', async (t) => {
  const floor = await dispatchFloor(t);
  await floor.invoke({ action: 'call', binding: await floor.bind(), arguments: HELLO });
  await floor.invoke({ action: 'list' });
  await floor.journal.close();
  const rows = await floor.store.read<object>('SELECT action, is_read FROM journal ORDER BY seq');
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      ['describe', 1],
      ['call', 0],
      ['list', 1],
    ],
  );
});

test('the journal prunes by itself: after a start, every hour, soon again while there is much, and after 500 rows', async (t) => {
  hygiene(t);
  const MONTH_MS = 31 * 86_400_000;
  const path = join(temporaryFolder(t), 'fairlead.db');
  const clock = manualClock({ startWallMs: MONTH_MS });
  const store = await openStore({ path, clock });
  const journal = new Journal({ store, clock, boot: 'boot' });
  const count = async () =>
    (await store.read<{ rows: number }>('SELECT count(*) AS rows FROM journal'))[0]?.rows ?? -1;
  const becomes = (rows: number) =>
    waitFor(async () => (await count()) === rows, { what: `${rows} rows in the journal` });
  await fill(store, 2_500, 0);
  await journal.recoverAtStart();
  for (const rows of [1_500, 500, 0]) {
    await clock.advance(1_000);
    await becomes(rows);
  }
  await fill(store, 10, 0);
  await clock.advance(3_599_999);
  assert.equal(await count(), 10);
  await clock.advance(1);
  await becomes(0);
  await fill(store, 10, 0);
  for (let written = 0; written < 500; written += 1)
    journal.observe(
      { id: `call_${written}`, principal: 'token:a', action: 'list', bindingPresent: false },
      { certainty: 'completed', code: null },
    );
  await journal.close();
  assert.equal(await count(), 500);
  await store.close();
});

test('a pruning that fails is logged and tried again later', async (t) => {
  const floor = await dispatchFloor(t, {
    wrap: (store) => failing(store, (sql) => sql.startsWith('DELETE')),
  });
  await fill(floor.store, 10, -31 * 86_400_000);
  assert.equal(await floor.journal.prune(), 0);
  assert.deepEqual(floor.logged, ['warn journal.not_pruned']);
});

test('a page that looks for few among many looks at 10,000 rows, and says where to go on', async (t) => {
  const floor = await dispatchFloor(t);
  await floor.journal.start({ id: 'call_rare', principal: 'token:a', action: 'call', bindingPresent: true });
  await floor.journal.settle('call_rare', { certainty: 'outcome_unknown', code: 'plugin_eof' });
  await fill(floor.store, 12_000, 0);
  const query = { limit: 10, certainty: 'outcome_unknown' } as const;
  const first = await floor.journal.page(query);
  assert.deepEqual(first?.entries, []);
  const second = await floor.journal.page({ ...query, before: first?.next ?? '' });
  assert.deepEqual([second?.entries.map(({ call }) => call), second?.next], [['call_rare'], null]);
});

test('the journal shows an outcome that the disk did not take, and the reads that were just answered', async (t) => {
  const floor = await dispatchFloor(t, {
    wrap: (store) => failing(store, (sql) => sql.startsWith('UPDATE journal SET certainty = ?')),
  });
  const binding = await floor.bind();
  floor.runners.answers.tools_call = () => fault('outcome_unknown', 'plugin_eof');
  await floor.invoke({ action: 'call', binding, arguments: HELLO });
  const page = await floor.journal.page({ limit: 5 });
  assert.deepEqual(
    page?.entries.map(({ action, certainty, code, finishedAtMs }) => [action, certainty, code, finishedAtMs]),
    [
      ['call', 'outcome_unknown', 'plugin_eof', null],
      ['describe', 'completed', null, 1_000_000],
    ],
  );
  const unknown = await floor.journal.page({ limit: 5, certainty: 'outcome_unknown' });
  assert.deepEqual(
    unknown?.entries.map(({ action }) => action),
    ['call'],
  );
  assert.deepEqual((await floor.journal.page({ limit: 5, certainty: 'completed' }))?.entries.length, 1);
});

/** Finished rows of that time, as many as wanted; those of effects where nothing else is said. */
async function fill(
  store: Store,
  rows: number,
  atMs: number,
  { certainty = 'completed', isRead = 0 }: { readonly certainty?: string; readonly isRead?: number } = {},
): Promise<void> {
  await store.write(
    [
      {
        sql: `INSERT INTO journal (id, at, principal, action, binding_present, certainty, finished, boot, is_read)
          WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ?)
          SELECT 'call_' || hex(randomblob(11)), ?, 'token:a', 'list', 0, ?, ?, 'boot', ? FROM numbers`,
        parameters: [rows, atMs, certainty, atMs, isRead],
      },
    ],
    'normal',
  );
}

/** A store whose writes fail where the first statement is one of those. */
function failing(store: Store, fails: (sql: string) => boolean): Store {
  return {
    read: (sql, parameters) => store.read(sql, parameters),
    write: async (statements, durability) => {
      if (fails(statements[0]?.sql ?? '')) throw storeError('store_disk_full');
      return await store.write(statements, durability);
    },
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}
