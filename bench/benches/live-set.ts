import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@fairlead/base';
import { defineExtension, type Extension, s } from '@fairlead/extension';
import { BudgetWheel, compileSchema, HookDispatcher, ThreadCarrier } from '@fairlead/extension/runtime';
import { type ExtensionSource, type Hub, type LiveTool, openHub } from '@fairlead/hub';
import { openPeer, openStore, type Peer } from '@fairlead/store';
// What puts a set together is not the package's face: it is measured by itself, because reading a log is the store's time.
import type { Installed } from '../../packages/hub/src/install/installed.ts';
import type { LiveInstance } from '../../packages/hub/src/instances/live-instance.ts';
import { buildSnapshot } from '../../packages/hub/src/live/build-snapshot.ts';
import { Engine } from '../../packages/hub/src/live/engine.ts';
import { LiveSession } from '../../packages/hub/src/live/live-session.ts';
import { PreparedInstances } from '../../packages/hub/src/live/prepared-instance.ts';
import type { SnapshotParts } from '../../packages/hub/src/live/snapshot-parts.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { interleave } from '../harness/interleave.ts';
import { limitRow, ratioRow, reportRow } from '../harness/row.ts';

const EXTENSIONS = 100;
const TOOLS_EACH = 5;
const BUILDS_A_ROUND = 300;
const HITS_A_ROUND = 30_000;
const REREADS_A_ROUND = 10;

export const liveSet: Bench = {
  name: 'live-set',
  title: `the live set of ${EXTENSIONS} extensions with ${EXTENSIONS * TOOLS_EACH} tools, a gate and a prompt each`,
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const extensions = Array.from({ length: EXTENSIONS }, (_, index) => extension(index));
    const parts = await snapshotParts(extensions, stack);
    const { hub, peer, session } = await openBenchHub(context, extensions, stack);
    const tools: readonly (readonly [string, LiveTool])[] = [...buildSnapshot(parts).tools];
    if (tools.length !== EXTENSIONS * TOOLS_EACH) throw new Error(`${tools.length} tools`);
    const log = (await peer.open(session)).latest('extensions');
    const [row] = await log.all();
    if (row === undefined) throw new Error('the session has nothing switched on');

    const map = (): void => {
      const named = new Map<string, LiveTool>();
      for (const [name, tool] of tools) named.set(name, tool);
      if (named.size !== tools.length) throw new Error('names are lost');
    };
    const build = (): void => {
      if (buildSnapshot(parts).tools.size !== tools.length) throw new Error('tools are lost');
    };
    const gather = (): void => {
      if (buildSnapshot(parts).fired.tool_call.targets.length !== EXTENSIONS)
        throw new Error('gates are lost');
    };
    const measured = await interleave(
      [
        { unit: 'µs', round: async () => ({ 'one map of the tools': timed(map) }) },
        { unit: 'µs', round: async () => ({ 'put together': timed(build) }) },
        { unit: 'µs', round: async () => ({ 'put together, hooks gathered': timed(gather) }) },
        { unit: 'µs', round: async () => ({ 'a cached hit': await timedHits(hub, session) }) },
        {
          unit: 'µs',
          round: async () => ({
            'after a switch was written': await timedAfter(hub, session, () => log.put(row.key, row.value)),
          }),
        },
      ],
      context.plan(30, 3, 5),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow(
          'a live set against one map of its tools',
          measured['put together'],
          measured['one map of the tools'],
          4,
        ),
        reportRow(
          'the same with all that it fires',
          measured['put together, hooks gathered'],
          measured['one map of the tools'],
        ),
        limitRow('a cached live set', measured['a cached hit'], 1),
        reportRow('a live set after a switch, its log read anew', measured['after a switch was written']),
      ],
    };
  },
};

/** Every tenth has an instance in each session, so that a lease has something to keep. */
function extension(index: number): Extension {
  const gate = { on: { toolCall: () => undefined }, prompt: () => 'x' };
  const tools = Object.fromEntries(
    Array.from({ length: TOOLS_EACH }, (_, tool) => [
      `e${index}_tool_${tool}`,
      { about: 'Answers.', args: { text: s.string() }, run: () => 'x' },
    ]),
  );
  const literal = { name: `e${index}`, version: '1.0.0' };
  return index % 10 === 0
    ? defineExtension({ ...literal, session: { tools, ...gate } })
    : defineExtension({ ...literal, tools, ...gate });
}

/** What the hub would put a set together from, with instances of their own. */
async function snapshotParts(
  extensions: readonly Extension[],
  stack: AsyncDisposableStack,
): Promise<SnapshotParts> {
  const clock = systemClock();
  const wheel = new BudgetWheel(clock);
  stack.defer(() => wheel.close());
  const report = (): void => {};
  const hooks = new HookDispatcher({ wheel, report });
  const instances: Record<'global' | 'agent' | 'session', LiveInstance[]> = {
    global: [],
    agent: [],
    session: [],
  };
  const installed = await Promise.all(
    extensions.map(async ({ manifest }, order): Promise<Installed> => {
      const [kind = 'global'] = manifest.scopes;
      const carrier = new ThreadCarrier(extensions[order] as Extension, {
        host: { ask: () => null, log: () => {}, changed: () => {} },
      });
      stack.defer(() => carrier.end());
      const settings = compileSchema(manifest.settings);
      if (!settings.ok) throw new Error(settings.fault.message);
      const { name } = manifest;
      const one: Installed = {
        name,
        ref: { kind: 'builtin', name, version: '1' },
        tier: 'in_process',
        builtin: true,
        order,
        generation: 1,
        manifest,
        settings: settings.schema,
        carrier,
        gone: undefined,
      };
      const contributions = await carrier.open({ instance: name, kind, key: '', settings: {} });
      instances[kind].push({
        ...{ id: name, extension: one, kind, key: '', contributions },
        ...{ refused: [], gone: undefined },
      });
      return one;
    }),
  );
  for (const list of Object.values(instances))
    list.sort((one, other) => one.extension.order - other.extension.order);
  return {
    version: '1',
    engine: new Engine({ clock, wheel, hooks, report, settings: { for: () => ({}) } }),
    session: new LiveSession({ root: 'ses_bench' } as never, 'bench', clock),
    agent: undefined,
    installed,
    failed: [],
    active: new Set(installed.map(({ name }) => name)),
    optOuts: new Set(),
    instances,
    prepared: new PreparedInstances(),
    failureOf: () => undefined,
  };
}

async function openBenchHub(
  context: BenchContext,
  extensions: readonly Extension[],
  stack: AsyncDisposableStack,
): Promise<{ readonly hub: Hub; readonly peer: Peer; readonly session: string }> {
  const stateDirectory = join(context.folder, 'state');
  await mkdir(stateDirectory, { mode: 0o700 });
  const clock = systemClock();
  const store = stack.use(await openStore({ path: join(stateDirectory, 'fairlead.db'), clock }));
  const peer = stack.use(await openPeer({ store, stateDirectory, clock, random: systemRandom() }));
  const sources = extensions.map(
    (one): ExtensionSource => ({
      ref: { kind: 'builtin', name: one.manifest.name, version: '1' },
      tier: 'in_process',
      builtin: true,
      start: async (host) => new ThreadCarrier(one, { host, clock }),
    }),
  );
  const hub = stack.use(
    await openHub({
      ...{ peer, store, clock, sources },
      agents: { resolve: async () => null, open: (id) => peer.open(id) },
      report({ code, reason }) {
        throw new Error(`${code}: ${reason}`);
      },
    }),
  );
  const session = (await peer.create('session')).root;
  await hub.openSession(session);
  return { hub, peer, session };
}

/** Microseconds of one run, over many. In CPU time: nothing here waits for anything, and a busy neighbour must not count. */
function timed(run: () => void): readonly number[] {
  const before = process.cpuUsage();
  for (let count = 0; count < BUILDS_A_ROUND; count += 1) run();
  return [process.cpuUsage(before).user / BUILDS_A_ROUND];
}

async function timedHits(hub: Hub, session: string): Promise<readonly number[]> {
  const before = process.cpuUsage();
  for (let count = 0; count < HITS_A_ROUND; count += 1) (await hub.liveSet({ session }))[Symbol.dispose]();
  return [process.cpuUsage(before).user / HITS_A_ROUND];
}

/** Wall time: the log is read. */
async function timedAfter(
  hub: Hub,
  session: string,
  write: () => Promise<unknown>,
): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let count = 0; count < REREADS_A_ROUND; count += 1) {
    await write();
    const startedMs = performance.now();
    (await hub.liveSet({ session }))[Symbol.dispose]();
    samples.push((performance.now() - startedMs) * 1000);
  }
  return samples;
}
