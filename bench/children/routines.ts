// Prepares or measures a store with very many schedules. `prepare FOLDER COUNT` writes them; `measure FOLDER` loads them in a process of its
// own and prints as JSON: how long that took, how many bytes of heap they keep, by how many the process grew (room for V8's next garbage among them), how late each of 50 firings a second was, and how long it
// takes to add one. Needs --expose-gc.
import { join } from 'node:path';
import { systemClock, systemRandom } from '@fairlead/base';
import { RoutineEngine } from '@fairlead/host';
import { type Database, openPeer, openStore } from '@fairlead/store';

const PATTERNS = ['*/5 * * * *', '0 9 * * MON-FRI', '30 2 1 * *', '15 6,18 * * *'] as const;
const FIRINGS = 250;
const SPACING_MS = 20;
const FIRST_AFTER_MS = 1500;
const ADDED = 50;

const [mode = '', folder = '.', count = '0', known = ''] = process.argv.slice(2);
await using stack = new AsyncDisposableStack();
const clock = systemClock();
const store = stack.use(await openStore({ path: join(folder, 'fairlead.db'), clock }));
const peer = stack.use(await openPeer({ store, stateDirectory: folder, clock, random: systemRandom() }));

if (mode === 'prepare') process.stdout.write(`${await prepare(Number(count))}\n`);
else process.stdout.write(`${JSON.stringify(await measure(await peer.open(known)))}\n`);

/** Half a year ahead, so that none of them is due while it is measured. */
async function prepare(schedules: number): Promise<string> {
  const agent = await peer.create('agent');
  const far = clock.wallMs() + 180 * 86_400_000;
  for (let from = 0; from < schedules; from += 400)
    await peer.transaction((tx) => {
      for (let index = from; index < Math.min(from + 400, schedules); index += 1)
        tx.on(agent).put('routines', `r${index}`, rowOf(index, far));
    });
  const engine = await started(agent);
  await engine.close();
  return agent.root;
}

function rowOf(index: number, far: number) {
  const cron = PATTERNS[index % PATTERNS.length] ?? PATTERNS[0];
  // A year behind it: the pattern is real, and not due while anybody measures.
  const trigger = {
    kind: 'cron',
    cron: `0 ${cron} ${new Date(far).getUTCFullYear() + 1}`,
    zone: 'Europe/Paris',
  };
  return { extension: 'bench', name: 'fire', payload: null, trigger, max_failures: 3 };
}

async function started(agent: Database, late: number[] = []): Promise<RoutineEngine> {
  const engine = new RoutineEngine({
    ...{ peer, store, clock, boot: `boot_${process.pid}`, zone: 'UTC' },
    placeOf: async (root) => (root === agent.root ? { kind: 'agent', database: agent } : undefined),
    fateOf: async () => ({ state: 'unknown' }),
    owed: { written: (_slot, write) => write() },
    report: ({ reason }) => process.stderr.write(`${reason}\n`),
    fire: async ({ slot }) => {
      late.push(clock.wallMs() - slot.due);
      return { state: 'fired', outcome: 'completed' };
    },
  });
  await engine.start();
  // A store that was never fired from knows no place: it is told of one row.
  await engine.changed(agent.root, 'agent', 'r0');
  return engine;
}

async function measure(agent: Database) {
  await agent.latest('routines').get('r0');
  collect();
  const before = process.memoryUsage();
  const began = performance.now();
  const late: number[] = [];
  const engine = await started(agent, late);
  const loadMs = performance.now() - began;
  collect();
  const after = process.memoryUsage();
  const kept = after.heapUsed + after.external - before.heapUsed - before.external;
  const resident = Math.max(0, after.rss - before.rss);
  const loaded = engine.list().length;
  const addMs: number[] = [];
  const first = Math.ceil((clock.wallMs() + FIRST_AFTER_MS + ADDED * 10) / 1000) * 1000;
  for (let index = 0; index < FIRINGS; index += 1) {
    const trigger = { kind: 'at', at: first + index * SPACING_MS };
    await agent
      .latest('routines')
      .put(`at${index}`, { extension: 'bench', name: 'fire', payload: null, trigger });
    const begun = performance.now();
    await engine.changed(agent.root, 'agent', `at${index}`);
    if (index < ADDED) addMs.push(performance.now() - begun);
  }
  while (late.length < FIRINGS && clock.wallMs() < first + FIRINGS * SPACING_MS + 10_000)
    await new Promise((resolve) => setTimeout(resolve, 50));
  await engine.close();
  return { loaded, loadMs, kept, resident, lateMs: late, addMs };
}

function collect(): void {
  for (let time = 0; time < 3; time += 1) globalThis.gc?.();
}
