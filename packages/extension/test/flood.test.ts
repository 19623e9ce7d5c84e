import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene, manualClock } from '@fairlead/testing';
import { FloodGate } from '../src/worker/flood-gate.ts';
import { WorkerCarrier } from '../src/worker/worker-carrier.ts';

const module = new URL('./fixtures/worker/flood.ts', import.meta.url);

async function flooding(t: { after(hook: () => unknown): void }) {
  const lines: string[] = [];
  const died = Promise.withResolvers<void>();
  const carrier = await WorkerCarrier.start({
    module,
    host: { ask: () => null, changed: () => {}, log: ({ message }) => void lines.push(message) },
    onDeath: died.resolve,
  });
  t.after(() => carrier.end());
  await carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  let calls = 0;
  const call = (name: string) => {
    calls += 1;
    const context = { settings: {}, caps: {} };
    return carrier.call({ call: calls, instance: 'g', endpoint: 'tool', name, input: {}, context });
  };
  return { carrier, lines, call, died: died.promise };
}

for (const name of ['flood', 'large'])
  test(`a worker that posts without an end is ended, and the host’s thread goes on (${name})`, async (t) => {
    hygiene(t);
    const { carrier, call, died } = await flooding(t);
    await assert.rejects(call(name), { code: 'extension_crashed', certainty: 'outcome_unknown' });
    await died;
    assert.equal(carrier.dead?.code, 'extension_crashed');
    assert.match(carrier.dead?.reason ?? '', /more than it may/);
    await carrier.end();
  });

test('of many log lines at once the first five hundred are kept, and how many were left out is said', async (t) => {
  hygiene(t);
  const { carrier, lines, call } = await flooding(t);
  await call('chat');
  const kept = lines.length;
  assert.ok(kept >= 500 && kept < 2000, `${kept} lines`);
  assert.equal(lines[0], 'line 0');
  assert.equal(carrier.dead, undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await call('later');
  assert.equal(lines.at(-1), 'later');
  assert.equal(lines.filter((line) => /^\d+ lines were left out/.test(line)).length >= 1, true);
});

test('the bucket gives a burst, fills with time, and large frames count for more', async () => {
  const clock = manualClock();
  const gate = new FloodGate(clock);
  let taken = 0;
  while (taken < 20_000 && gate.take(0)) taken += 1;
  assert.equal(taken, 10_000);
  await clock.advance(1000);
  taken = 0;
  while (taken < 20_000 && gate.take(4096)) taken += 1;
  assert.ok(taken >= 2498 && taken <= 2500, `${taken}`);
});
