import { dirname, join } from 'node:path';
import { FairleadError, randomId } from '@fairlead/base';
import { touchesWith } from '@fairlead/builtins';
import { type DigestKey, Journal } from '@fairlead/dispatch/journal';
import type { Log } from '@fairlead/gateway/log';
import {
  type AgentHost,
  type ConfigurationReading,
  LeakDetector,
  type PreparedHost,
  prepareHost,
  readAgents,
  readBackends,
} from '@fairlead/host';
import { McpServers, SecretBox, SecretRows, secretsOf } from '@fairlead/mcp';
import { sensitiveNames, startWatchdog } from '@fairlead/process';
import { openStore, type Store } from '@fairlead/store';
import type { CommandContext } from '../command-context.ts';
import { extensionSecrets, type HostExtensions, openHostExtensions } from '../extensions/host-extensions.ts';
import { allServers } from '../extensions/mcp-tables.ts';
import { untilExtensionsSettled } from '../extensions/until-extensions-settled.ts';
import { nameFile } from '../state/name-file.ts';
import { readVersion } from '../version.ts';
import { findBubblewrap } from './bubblewrap.ts';
import type { LoadedHostConfig } from './host-config.ts';
import { openHostPeer } from './host-peer.ts';
import { LateWatchdog } from './late-watchdog.ts';
import { readDigestKey, readStateSecret } from './secret-key.ts';

/** Everything of a host but the gateway and the Runner. Disposed in reverse order of creation. */
export type HostFloor = AsyncDisposable & {
  readonly store: Store;
  readonly journal: Journal;
  readonly digestKey: DigestKey;
  readonly extensions: HostExtensions;
  readonly prepared: PreparedHost;
  readonly agents: AgentHost;
};

/**
 * Opens the database of a state directory and what runs over it: peer, journal, agents, extensions; what the start before left in its
 * middle is brought to its end. Where the host is not `alone`, each folder of `fairlead.toml` is loaded or has failed before anything
 * is answered. The caller holds the directory's lock. Rejects with the codes of its parts.
 */
export async function openHostFloor(options: {
  readonly context: CommandContext;
  readonly stateDirectory: string;
  readonly loaded: LoadedHostConfig;
  readonly log: Log;
  /** Nothing is answered but what this process asks for itself. */
  readonly alone?: boolean;
  /** Settles when the host is to end before it has begun: what is loaded is not waited for. Default: never. */
  readonly stopped?: Promise<unknown>;
}): Promise<HostFloor> {
  const { context, stateDirectory, loaded, log, alone = false } = options;
  const { stopped = new Promise<never>(() => {}) } = options;
  const { clock, random, env, platform } = context;
  const { tables, extensions: extensionTables, path: configPath, environmentKeys, config } = loaded;
  await using stack = new AsyncDisposableStack();
  const path = join(stateDirectory, 'fairlead.db');
  const store = stack.use(await nameFile(path, () => openStore({ path, clock })));
  const boot = randomId('boot_', random);
  const journal = stack.use(new Journal({ store, clock, boot, log }));
  const digestKey = await readDigestKey(stateDirectory, random);
  const peer = stack.use(await openHostPeer({ context, stateDirectory, store, log }));
  // What a killed host leaves of commands is ended by it, so it is the last to go.
  const watchdog = stack.use(new LateWatchdog(() => startWatchdog({ random, platform, clock })));
  const bubblewrap = await findBubblewrap(env, platform);
  const settings = extensionSecrets(extensionTables, env);
  const folder = dirname(configPath);
  const secretVariables = sensitiveNames(environmentKeys);
  const terms = { folder, home: env['HOME'], secretVariables };
  const servers = await allServers(loaded.mcp, terms, (problem) => {
    context.stderr(`fairlead: ${problem}\n`);
    log('warn', 'mcp.left_out', { problem });
  });
  const mcpSecrets = secretsOf(servers, env);
  const hostSecrets = new LeakDetector([
    ...settings.settings.secrets,
    ...settings.environments.secrets,
    ...mcpSecrets,
    ...secretVariables.flatMap((name) => env[name]?.trim() ?? []),
  ]);
  const mcp = new McpServers(servers, {
    ...{ store, clock, random, platform, watchdog, env, folder, log, version: readVersion() },
    secretVariables,
    mask: (text) => hostSecrets.configured(text),
    secrets: new SecretRows(store, new SecretBox(await readStateSecret(stateDirectory, random), random)),
  });
  const prepared = await prepareHost({
    ...{
      peer,
      store,
      journal,
      clock,
      random,
      boot,
      stateDirectory,
      env,
      tables,
      digestKey,
      watchdog,
      platform,
    },
    authority: config.authority,
    folder,
    readAgentTables: async () => await tableNow(loaded, readAgents),
    readBackendTables: async () => await tableNow(loaded, readBackends),
    touches: touchesWith(tables.web.search),
    failedServers: () => mcp.failed,
    secretVariables: environmentKeys,
    secrets: [...settings.settings.secrets, ...settings.environments.secrets, ...mcpSecrets],
    ...(bubblewrap === null ? {} : { bubblewrap }),
    report: ({ level, code, ...fields }) => log(level, 'host.report', { code, ...fields }),
  });
  const extensions = stack.use(
    await openHostExtensions({
      ...{ context, store, peer, settings, configPath, log },
      tables: extensionTables,
      mcp,
      secrets: mcpSecrets,
      agents: prepared.agentDirectory,
      builtinPeer: prepared.builtinPeer,
      plugins: prepared.plugins,
      isWatched: !alone,
    }),
  );
  // A turn keeps the live set that it begins with: one that begins before a gate is loaded is not judged by it.
  const isWhole = alone || (await untilExtensionsSettled(context, extensions, stopped));
  const agents = stack.use(await prepared.start(extensions.hub, { alone: alone || !isWhole }));
  const owned = stack.move();
  return {
    ...{ store, journal, digestKey, extensions, prepared, agents },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A part of the file as it says it now. */
async function tableNow<T>(
  { reread }: LoadedHostConfig,
  read: (document: Readonly<Record<string, unknown>>) => ConfigurationReading<T>,
): Promise<T> {
  const { document, refuse } = await reread();
  const reading = read(document);
  if (reading.ok) return reading.value;
  const { code, message } = refuse(reading.at, reading.problem);
  throw new FairleadError(code, message);
}
