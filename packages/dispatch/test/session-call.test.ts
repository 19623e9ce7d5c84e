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
  assert.partialDeepStrictEqual(
    await store.read("SELECT text, extension, tier FROM journal WHERE id = 'call_1'"),
    [{ text: null, extension: 'core', tier: 'in_process' }],
  );
});
