import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import { FleetMember } from './fleet-member.ts';

/** Only catches hanging. */
const PATIENCE_MS = 60_000;

/** A process that ends at once, and by itself. */
async function ended(): Promise<FleetMember> {
  const member = new FleetMember('the gateway', 1, ['--version'], process.env);
  await waitFor(() => member.isOver, { what: 'its end', timeoutMs: PATIENCE_MS });
  return member;
}

/** A gateway that serves. */
async function live(t: TestContext): Promise<FleetMember> {
  const args = ['serve', '--json', '--state-dir', temporaryFolder(t), '--port', '0'];
  const member = new FleetMember('the gateway', 1, args, process.env);
  await waitFor(() => member.stdout.includes('\n') || member.isOver, {
    what: 'its start',
    timeoutMs: PATIENCE_MS,
  });
  assert.equal(member.isOver, false, member.said);
  return member;
}

test('what had ended by itself is lost, also when it is killed or stopped behind it', async (t) => {
  hygiene(t);
  const [killed, stopped] = [await ended(), await ended()];
  assert.equal(await killed.kill(), false);
  assert.equal(await stopped.stop(), true);
  assert.deepEqual([killed.isLost, stopped.isLost], [true, true]);
  assert.equal(killed.signal('SIGCONT'), false);
  assert.equal(await killed.skew(1), false);
  assert.equal(killed.limitDescriptors(1), false);
  assert.equal(killed.unlimitDescriptors(), false);
});

test('what is ended is not lost, and says whether SIGTERM was enough', async (t) => {
  hygiene(t);
  const [killed, stopped] = [await live(t), await live(t)];
  assert.equal(await killed.skew(1000), true);
  assert.equal(await killed.kill(), true);
  assert.equal(await stopped.stop(), true);
  assert.deepEqual([killed.isLost, stopped.isLost], [false, false]);
});

test('what does not end by SIGTERM is killed, and that is said', async (t) => {
  hygiene(t);
  const member = await live(t);
  assert.equal(await member.stop(AbortSignal.abort()), false);
  assert.equal(member.isLost, false);
});
