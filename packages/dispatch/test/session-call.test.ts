import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '@fairlead/store';
import { hygiene, manualClock, temporaryFolder } from '@fairlead/testing';
import { Journal } from '../src/index.ts';

const ENTRY = { id: 'call_1', principal: 'agent:agt_1', action: 'shell', bindingPresent: false };
const CALL = {
  session: 'ses_1',
  turn: 'trn_1',
  extension: 'core',
  tier: 'in_process',
  target: 'ext:core/shell#d',
};

test('a call of a session owes its result until the entry stands, also over a restart', async (t) => {
  hygiene(t);
  const clock = manualClock();
  await using store = await openStore({ path: join(temporaryFolder(t), 'fairlead.db'), clock });
  const before = new Journal({ store, clock, boot: 'boot_1' });
  await store.write(before.sessionIntent(ENTRY, CALL));
  await store.write(before.sessionIntent({ ...ENTRY, id: 'call_2' }, { ...CALL, session: 'ses_2' }));
  assert.deepEqual(await before.owedResults(0, 10), []);
  assert.deepEqual(await before.openCalls('ses_1'), ['call_1']);
  clock.jumpWall(40);
  await store.write([before.sessionEnd('call_1', { certainty: 'completed', code: null, text: 'done' })]);
  await before.close();

  await using after = new Journal({ store, clock, boot: 'boot_2' });
  assert.equal(await after.recoverAtStart(), 1);
  assert.deepEqual(await after.owedResults(0, 10), [
    {
      ...{ seq: 1, id: 'call_1', session: 'ses_1', turn: 'trn_1', text: 'done', ms: 40 },
      end: { certainty: 'completed', code: null },
    },
    {
      ...{ seq: 2, id: 'call_2', session: 'ses_2', turn: 'trn_1', text: null, ms: 40 },
      end: { certainty: 'outcome_unknown', code: 'invocation_interrupted' },
    },
  ]);
  await store.write([after.resultStands('call_1')]);
  assert.deepEqual(
    (await after.owedResults(0, 10)).map(({ id }) => id),
    ['call_2'],
  );
  assert.deepEqual([await after.openCalls('ses_1'), await after.openCalls('ses_2')], [[], ['call_2']]);
  assert.partialDeepStrictEqual(
    await store.read("SELECT text, extension, tier FROM journal WHERE id = 'call_1'"),
    [{ text: null, extension: 'core', tier: 'in_process' }],
  );
});

test('the same call is found where it ran a short while ago, with what is known of its end', async (t) => {
  hygiene(t);
  const clock = manualClock();
  await using store = await openStore({ path: join(temporaryFolder(t), 'fairlead.db'), clock });
  await using journal = new Journal({ store, clock, boot: 'boot_1' });
  const same = { principal: ENTRY.principal, target: CALL.target, argumentsDigest: 'digest' };
  const found = () => journal.recent(same, clock.wallMs() - 600_000);
  const begin = (id: string, argumentsDigest: string) =>
    store.write(journal.sessionIntent({ ...ENTRY, id, argumentsDigest }, CALL));
  const end = (id: string, certainty: 'not_started' | 'completed', code: string | null) =>
    store.write([journal.sessionEnd(id, { certainty, code, text: '' })]);
  assert.equal(await found(), undefined);
  await begin('call_1', 'another digest');
  assert.equal(await found(), undefined);
  await begin('call_2', 'digest');
  const began = clock.wallMs();
  assert.deepEqual(await found(), { atMs: began, certainty: null, code: null });
  clock.jumpWall(1000);
  await end('call_2', 'completed', 'tool_error');
  // What was refused says nothing of what ran before.
  await begin('call_3', 'digest');
  await end('call_3', 'not_started', 'approval_denied');
  assert.deepEqual(await found(), { atMs: began, certainty: 'completed', code: 'tool_error' });
  assert.equal(await journal.recent({ ...same, principal: 'agent:other' }, 0), undefined);
  clock.jumpWall(600_000);
  assert.equal(await found(), undefined);
});

test('the same call asked about again is told the end that the disk still owes', async (t) => {
  hygiene(t);
  const clock = manualClock();
  await using store = await openStore({ path: join(temporaryFolder(t), 'fairlead.db'), clock });
  await using journal = new Journal({ store, clock, boot: 'boot_1' });
  const same = { principal: ENTRY.principal, target: CALL.target, argumentsDigest: 'digest' };
  const begin = (id: string) =>
    store.write(journal.sessionIntent({ ...ENTRY, id, argumentsDigest: 'digest' }, CALL));
  await begin('call_1');
  const atMs = clock.wallMs();
  journal.sessionOwed('call_1', { certainty: 'completed', code: null });
  assert.deepEqual(await journal.recent(same, 0), { atMs, certainty: 'completed', code: null });
  clock.jumpWall(1000);
  await begin('call_2');
  journal.sessionOwed('call_2', { certainty: 'not_started', code: 'call_cancelled' });
  assert.deepEqual(await journal.recent(same, 0), { atMs, certainty: 'completed', code: null });
});
