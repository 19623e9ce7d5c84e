import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import { Fleet } from './fleet.ts';

test('a process that ended by itself is told of, also where its kill was planned or its fleet ends', async (t) => {
  hygiene(t);
  const fleet = await Fleet.start('apart', temporaryFolder(t));
  t.after(() => fleet.remove());
  /** As a crash is: nobody of the suite has asked for it. */
  const crash = async (target: 'gateway' | 'runner') => {
    const member = fleet.member(target);
    process.kill(member?.pid ?? 0, 'SIGKILL');
    await waitFor(() => member?.isOver === true, { what: 'the end of it', timeoutMs: 60_000 });
  };
  const names = (texts: readonly string[]) => texts.map((text) => text.split(':')[0]);
  await crash('gateway');
  assert.equal(await fleet.signal('gateway', 'SIGKILL'), false);
  assert.deepEqual(names(await fleet.restore()), ['the gateway ended by itself']);
  await crash('gateway');
  assert.equal(await fleet.restart('gateway'), false);
  assert.deepEqual(names(await fleet.restore()), ['the gateway ended by itself']);
  assert.equal(await fleet.restart('gateway'), true);
  assert.deepEqual(await fleet.restore(), []);
  await crash('runner');
  assert.deepEqual(names(await fleet.stop()), ['the Runner ended by itself']);
});
