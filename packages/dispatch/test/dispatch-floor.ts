import { join } from 'node:path';
import type { Json, JsonObject } from '@fairlead/base';
import { openStore, type Store } from '@fairlead/store';
import { hygiene, type ManualClock, manualClock, seededRandom, temporaryFolder } from '@fairlead/testing';
import {
  Bindings,
  createExecutor,
  digestKey,
  type Executor,
  type ExecutorOptions,
  type Invocation,
  Journal,
  type Principal,
  Settler,
} from '../src/index.ts';
import { FakeRunners } from './fake-runners.ts';

/** The context of a test, as far as this file needs it. */
export type TestContext = { after(hook: () => unknown): void };

export const EVERYTHING: Principal = {
  id: 'token:tok_all',
  scopes: ['plugin:inspect', 'plugin:invoke', 'plugin:manage', 'session:write'],
};

const IDS_AND_TIMES: ReadonlySet<string> = new Set([
  ...['seq', 'id', 'at', 'finished', 'boot', 'runner_instance'],
  ...['settled_certainty', 'settled_code', 'settled_at'],
]);

export type DispatchFloor = {
  readonly path: string;
  readonly store: Store;
  readonly journal: Journal;
  readonly runners: FakeRunners;
  readonly clock: ManualClock;
  readonly executor: Executor;
  readonly settler: Settler;
  /** What the executor was made of. */
  readonly ports: ExecutorOptions;
  readonly logged: string[];
  invoke(params: Json, principal?: Principal, recordingSessionId?: string): Promise<Invocation>;
  /** Describes `say` of `echo` on `local` (or what is given) and answers the binding. */
  bind(names?: JsonObject, principal?: Principal): Promise<string>;
  /** The journal, oldest first, without ids, times and settlements, once everything that waits is written. */
  rows(): Promise<JsonObject[]>;
};

/** An executor over a real database and fake Runners; closed when the test ends, which then leaves nothing behind. */
export async function dispatchFloor(
  t: TestContext,
  options: Partial<ExecutorOptions> & {
    readonly wrap?: (store: Store) => Store;
    readonly boot?: string;
  } = {},
): Promise<DispatchFloor> {
  hygiene(t);
  const path = join(temporaryFolder(t), 'fairlead.db');
  const clock = manualClock({ startWallMs: 1_000_000 });
  const store = await openStore({ path, clock });
  const logged: string[] = [];
  const log = (level: string, event: string) => void logged.push(`${level} ${event}`);
  const { wrap = (same) => same, boot = 'boot_now', ...executorOptions } = options;
  const journal = new Journal({ store: wrap(store), clock, boot, log });
  const runners = new FakeRunners();
  const random = seededRandom(7);
  const bindings = await Bindings.open({ store: wrap(store), clock, random, log });
  const settler = new Settler({ runners, journal, clock, log });
  t.after(async () => {
    await settler[Symbol.asyncDispose]();
    await bindings[Symbol.asyncDispose]();
    await journal.close();
    await store.close();
  });
  const ports: ExecutorOptions = {
    runners,
    journal,
    bindings,
    settler,
    clock,
    random,
    authority: 'trusted_agent',
    digestKey: digestKey(Buffer.alloc(32, 1)),
    log,
    ...executorOptions,
  };
  const executor = createExecutor(ports);
  const invoke = (params: Json, principal = EVERYTHING, recordingSessionId?: string) =>
    executor.invoke({
      tool: 'plugin_tool',
      params,
      principal,
      ...(recordingSessionId === undefined ? {} : { recordingSessionId }),
    });
  return {
    path,
    store,
    journal,
    runners,
    clock,
    executor,
    settler,
    ports,
    logged,
    invoke,
    async bind(names = {}, principal = EVERYTHING) {
      const { output } = await invoke(
        { action: 'describe', runner: 'local', plugin: 'echo', tool: 'say', ...names },
        principal,
      );
      const binding = output?.['binding'];
      if (typeof binding !== 'string') throw new Error('not described');
      return binding;
    },
    async rows() {
      await journal.close();
      const rows = await store.read<JsonObject>(
        'SELECT id, at, principal, action, runner, runner_instance, plugin, tool, binding_present, arguments_digest, boot, certainty, code, finished, settled_certainty, settled_code, settled_at FROM journal ORDER BY seq',
      );
      return rows.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([column]) => !IDS_AND_TIMES.has(column))),
      );
    },
  };
}

/** The parts of an invocation that most tests look at. */
export function gist(invocation: Invocation): readonly [string, string | undefined] {
  return [invocation.certainty, invocation.error?.code];
}
