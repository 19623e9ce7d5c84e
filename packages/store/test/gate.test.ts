import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gate } from '../src/log/gate.ts';

/** Lets every promise reaction that is due have its turn. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('writers enter side by side; one alone waits for them and they for it', async () => {
  const gate = new Gate();
  const events: string[] = [];
  assert.equal(gate.enter(), undefined);
  assert.equal(gate.enter(), undefined);
  const alone = gate.alone(async () => {
    events.push('alone');
    await settled();
    events.push('out');
  });
  const third = gate.enter()?.then(() => events.push('third'));
  await settled();
  assert.deepEqual(events, []);
  gate.leave();
  gate.leave();
  await alone;
  await third;
  assert.deepEqual(events, ['alone', 'out', 'third']);
  gate.leave();
  assert.equal(gate.enterAlone(), undefined);
});

test('two alone go one after the other, also when the first throws', async () => {
  const gate = new Gate();
  const events: number[] = [];
  const first = gate.alone(async () => {
    events.push(1);
    throw new Error('mine');
  });
  const second = gate.alone(async () => void events.push(2));
  await assert.rejects(first, { message: 'mine' });
  await second;
  assert.deepEqual(events, [1, 2]);
});

test('held writers wait while those alone pass; the end of the hold lets them in', async () => {
  const gate = new Gate();
  const release = gate.hold();
  const events: string[] = [];
  const writer = gate.enter()?.then(() => events.push('writer'));
  await gate.alone(async () => void events.push('alone'));
  await settled();
  assert.deepEqual(events, ['alone']);
  release();
  release();
  await writer;
  gate.leave();
  assert.deepEqual(events, ['alone', 'writer']);
  assert.equal(gate.enter(), undefined);
});
