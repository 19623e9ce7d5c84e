import { dirname, resolve } from 'node:path';
import { allBuiltins } from '@fairlead/builtins';
import type { ExtensionAdministration } from '@fairlead/gateway';
import type { Log } from '@fairlead/gateway/log';
import type { HostPlugins } from '@fairlead/host';
import {
  type AgentDirectory,
  builtinSource,
  type CatalogDesk,
  type ExtensionTables,
  FolderManifests,
  type Hub,
  openHub,
  type ResolvedSettings,
  resolveSecrets,
  ThreadMonitor,
} from '@fairlead/hub';
import type { McpServers } from '@fairlead/mcp';
import type { Peer, Store } from '@fairlead/store';
import type { CommandContext } from '../command-context.ts';
import { readVersion } from '../version.ts';
import { administrationOf } from './administration.ts';
import { PathExtensions } from './path-extensions.ts';

/** What the tables of extensions say with the variables that they name, and what of it nobody may see. */
export type ExtensionSecrets = {
  readonly settings: ResolvedSettings;
  readonly environments: ResolvedSettings;
};

/** Reads those variables. */
export function extensionSecrets(tables: ExtensionTables, env: CommandContext['env']): ExtensionSecrets {
  return {
    settings: resolveSecrets(tables.settings, env),
    environments: resolveSecrets(tables.environments, env),
  };
}

/** The hub of a host with what it stands on. Disposed in reverse order of creation. */
export type HostExtensions = AsyncDisposable & {
  readonly hub: Hub;
  readonly administration: PathExtensions;
  /** What this machine's own commands may do. */
  readonly doors: ExtensionAdministration;
  /** When each folder of `fairlead.toml` is loaded or has failed. Never rejects. */
  readonly settled: Promise<void>;
  /** When each MCP server runs, has failed once, or is late. Never rejects. */
  readonly serversSettled: () => Promise<void>;
};

/** Opens the hub over a peer, and begins to load the folders of the file. */
export async function openHostExtensions(options: {
  readonly context: CommandContext;
  readonly store: Store;
  readonly peer: Peer;
  readonly tables: ExtensionTables;
  readonly settings: ExtensionSecrets;
  readonly mcp: McpServers;
  /** Where pinned tools of plugins are approved. */
  readonly plugins: CatalogDesk & Pick<HostPlugins, 'notice'>;
  /** More that nobody may see: what MCP servers are sent. */
  readonly secrets: readonly string[];
  /** Relative folders are meant from where this file stands. */
  readonly configPath: string;
  readonly log: Log;
  /** Who is hosted here. */
  readonly agents: AgentDirectory;
  /** What the built-in extensions may hold of the host. */
  readonly builtinPeer: unknown;
  /** False for a host of one turn: nobody would read which handler blocks it. */
  readonly isWatched: boolean;
}): Promise<HostExtensions> {
  const { context, store, peer, tables, mcp, configPath, log, agents, builtinPeer: handed } = options;
  const { clock } = context;
  const { settings, environments } = options.settings;
  await using stack = new AsyncDisposableStack();
  const monitor = options.isWatched ? stack.use(watchThread(log)) : null;
  const version = readVersion();
  const sources = allBuiltins.map((extension) => {
    const { name } = extension.manifest;
    const notice = options.plugins.has(name) ? () => options.plugins.notice() : undefined;
    const told = { version, peer: handed, clock, notice };
    if (monitor === null) return builtinSource(extension, told);
    const number = monitor.add(name);
    return builtinSource(extension, { ...told, activity: monitor.activity, number });
  });
  for (const { extension, key, variable } of environments.missing)
    log('warn', 'extension.variable_missing', { extension, key, variable });
  const hub = stack.use(
    await openHub({
      peer,
      store,
      clock,
      agents,
      sources,
      settings,
      secrets: [...environments.secrets, ...options.secrets],
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
  await mcp.install(hub);
  const administration = new PathExtensions({
    hub,
    clock,
    manifests: new FolderManifests({ store, clock }),
    environmentOf: (name) => (environments.values[name] ?? {}) as Readonly<Record<string, string>>,
    log,
  });
  const folders = tables.paths.map(({ path }) => resolve(dirname(configPath), path));
  const settled = administration.start(folders);
  const owned = stack.move();
  return {
    ...{ hub, administration, settled },
    doors: administrationOf(administration, mcp, options.plugins),
    serversSettled: () => mcp.settled(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The thread that names a handler which holds up this one. */
function watchThread(log: Log): ThreadMonitor {
  return new ThreadMonitor({
    onBlocked: ({ extension, heldMs, over }) =>
      log('error', 'extension.blocks_thread', { extension, held_ms: heldMs, over }),
    onLost: (error) => log('warn', 'extension.monitor_lost', { reason: error.name }),
  });
}
