import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '@fairlead/base';
import { openStore } from '@fairlead/store';
import { hygiene, seededRandom, temporaryFolder, waitFor } from '@fairlead/testing';

const child = join(import.meta.dirname, 'fixtures/engine-child.ts');
/** Slots of a second come every 100 ms. */
const PACE = 10;
const ROUNDS = Number(process.env['FAIRLEAD_ROUTINE_KILLS'] ?? 100);
const SEED = Number(process.env['FAIRLEAD_ROUTINE_SEED'] ?? Date.now() % 1_000_000);

test(`killed at any moment, a slot fires once or is unknown and shown (${ROUNDS} kills, FAIRLEAD_ROUTINE_SEED=${SEED})`, {
  timeout: 900_000,
}, async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const ledgerFile = join(folder, 'ledger');
  const random = seededRandom(SEED);
  const began = Math.floor(Date.now() / 1000) * 1000;
  let agent = '';
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = readLedger(ledgerFile).length;
    const engine = spawn(process.execPath, [child, folder, String(began), String(PACE), agent], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_V8_COVERAGE: undefined },
    });
    const exited = once(engine, 'exit');
    const [line] = (await once(engine.stdout, 'data')) as [Buffer];
    agent = line.toString('utf8').trim();
    assert.match(agent, /^agt_/);
    // Every second life fires at least once; the others are killed anywhere, before the first slot too.
    if (round % 2 === 1)
      await waitFor(() => readLedger(ledgerFile).length > before, {
        what: 'a slot that fires',
        intervalMs: 5,
      });
    const afterMs = random.below(200);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    engine.kill('SIGKILL');
    await exited;
  }
  const store = await openStore({ path: join(folder, 'fairlead.db'), clock: systemClock() });
  t.after(() => store.close());
  const slots = await store.read<{ due: number; state: string }>(
    'SELECT due, state FROM slots WHERE database = ? ORDER BY due',
    [agent],
  );
  const ledger = readLedger(ledgerFile);
  const times = new Map<number, number>();
  for (const due of ledger) times.set(due, (times.get(due) ?? 0) + 1);
  const states = new Map(slots.map(({ due, state }) => [due, state]));
  for (const [due, fired] of times) {
    assert.equal(fired, 1, `${due} fired ${fired} times`);
    assert.ok(['fired', 'unknown', 'claimed'].includes(states.get(due) ?? ''), `${due}: ${states.get(due)}`);
  }
  for (const [due, state] of states) if (state === 'fired') assert.ok(times.has(due), `${due} never fired`);
  // None is lost: from the first to the last every second has its row.
  const [first, last] = [slots[0]?.due ?? 0, slots.at(-1)?.due ?? 0];
  for (let due = first; due <= last; due += 1000) assert.ok(states.has(due), `${due} is lost`);
  assert.ok(ledger.length >= Math.floor(ROUNDS / 2), `only ${ledger.length} fired`);
  t.diagnostic(
    `${ledger.length} fired, ${[...states.values()].filter((state) => state === 'unknown').length} unknown, ${states.size} slots`,
  );
});

function readLedger(path: string): readonly number[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Number(line.slice(line.lastIndexOf('@') + 1)));
}
