import { dirname, resolve } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { allBuiltins } from '@fairlead/builtins';
import type { Log } from '@fairlead/gateway';
import {
  type AgentDirectory,
  builtinSource,
  type ExtensionTables,
  type Hub,
  openHub,
  resolveSecrets,
  ThreadMonitor,
} from '@fairlead/hub';
import { openPeer, type Store } from '@fairlead/store';
import type { CommandContext } from '../command-context.ts';
import { readVersion } from '../version.ts';
import { PathExtensions } from './path-extensions.ts';

/** The hub of a host with what it stands on. Disposed in reverse order of creation. */
export type HostExtensions = AsyncDisposable & {
  readonly hub: Hub;
  readonly administration: PathExtensions;
  /** When each folder of `fairlead.toml` is loaded or has failed. Never rejects. */
  readonly settled: Promise<void>;
};

/** No agent is hosted yet: whoever is asked for is not here. */
const noAgents: AgentDirectory = {
  resolve: async () => null,
  open: async (id) => {
    throw new FairleadError('database_not_found', 'No agent of this id is hosted here.', { detail: { id } });
  },
};

/** Opens the peer (its keys are made at the first start) and the hub over it, and begins to load the folders of the file. */
export async function openHostExtensions(options: {
  readonly context: CommandContext;
  readonly stateDirectory: string;
  readonly store: Store;
  readonly tables: ExtensionTables;
  /** Relative folders are meant from where this file stands. */
  readonly configPath: string;
  readonly log: Log;
}): Promise<HostExtensions> {
  const { context, stateDirectory, store, tables, configPath, log } = options;
  const { clock, random, env } = context;
  await using stack = new AsyncDisposableStack();
  const peer = stack.use(
    await openPeer({
      store,
      stateDirectory,
      clock,
      random,
      report: (told) => {
        const { code, cause: _, ...fields } = { cause: undefined, ...told };
        // The first author of a folder is no news.
        const level = told.code === 'author_minted' && told.why === 'first' ? 'info' : 'warn';
        log(level, 'store.report', { code, detail: JSON.stringify(fields) });
      },
    }),
  );
  const monitor = stack.use(
    new ThreadMonitor({
      onBlocked: ({ extension, heldMs, over }) =>
        log('error', 'extension.blocks_thread', { extension, held_ms: heldMs, over }),
      onLost: (error) => log('warn', 'extension.monitor_lost', { reason: error.name }),
    }),
  );
  const version = readVersion();
  const sources = allBuiltins.map((extension) => {
    const number = monitor.add(extension.manifest.name);
    return builtinSource(extension, { version, clock, activity: monitor.activity, number });
  });
  const settings = resolveSecrets(tables.settings, env);
  const environments = resolveSecrets(tables.environments, env);
  for (const { extension, key, variable } of environments.missing)
    log('warn', 'extension.variable_missing', { extension, key, variable });
  const hub = stack.use(
    await openHub({
      peer,
      store,
      clock,
      agents: noAgents,
      sources,
      settings,
      secrets: environments.secrets,
      agentState: tables.agentState,
      report: ({ code, ...fields }) => log('warn', 'extension.report', { code, ...fields }),
      log: ({ level, message, data, extension }) =>
        log(level, 'extension.said', {
          extension,
          message,
          ...(data === undefined ? {} : { data: JSON.stringify(data) }),
        }),
    }),
  );
  const administration = new PathExtensions({
    hub,
    clock,
    environmentOf: (name) => (environments.values[name] ?? {}) as Readonly<Record<string, string>>,
    log,
  });
  const folders = tables.paths.map(({ path }) => resolve(dirname(configPath), path));
  const settled = administration.start(folders);
  const owned = stack.move();
  return { hub, administration, settled, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
