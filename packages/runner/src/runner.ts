import { type Clock, FairleadError, type Random, randomId } from '@fairlead/base';
import {
  resolveExecutable,
  sensitiveNames,
  spawnTree,
  startWatchdog,
  type Watchdog,
} from '@fairlead/process';
import {
  type ProviderRow,
  protocolErrors,
  type RunnerRequest,
  type RunnerResponse,
} from '@fairlead/protocol';
import { answerRequest, handleRequest } from './answer-request.ts';
import { CallLedger } from './calls/call-ledger.ts';
import { noteText } from './config/config-table.ts';
import { type RunnerConfigFile, readRunnerConfig } from './config/read-runner-config.ts';
import { emptyConfig, type RunnerConfig } from './config/runner-config.ts';
import { readProjects, toldProjects } from './configuration/projects.ts';
import { RunnerConfiguration } from './configuration/runner-configuration.ts';
import { runnerErrors } from './errors.ts';
import { LinkClient } from './link/link-client.ts';
import { type ConnectLink, connectLink, linkUrl } from './link/link-socket.ts';
import { localHandler } from './local/local-handler.ts';
import { LocalSocket } from './local/local-socket.ts';
import { RunnerFolder } from './local/runner-folder.ts';
import type { RunnerLog } from './log.ts';
import { EnvironmentSnapshots } from './provider/environment-snapshots.ts';
import { ProviderSet, type ProviderSetOptions } from './providers/provider-set.ts';
import { logWatchdog } from './watchdog-log.ts';

export type RunnerOptions = {
  /** The `runner.toml` bound to this Runner; absent, or naming no file: no provider. */
  readonly configPath?: string;
  readonly runnerId: string;
  /** How the Runner is shown; the file's `display_name` where absent. */
  readonly instanceName?: string;
  /** `http` or `https` URL of the gateway. */
  readonly gatewayUrl: string;
  /** The Runner token; a secret. */
  readonly token: string;
  /** `runners/<runner id>/` is made in it. */
  readonly stateDirectory: string;
  /** What plugins' environments are made from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of a provider without a `cwd`. Default: this process's. */
  readonly cwd?: string;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: RunnerLog;
  /** Further names of variables that no plugin gets. */
  readonly extraSensitive?: readonly string[];
  readonly spawnTree?: typeof spawnTree;
  readonly connect?: ConnectLink;
};

/** One running Runner. */
export type Runner = AsyncDisposable & {
  readonly runnerId: string;
  /** One per start. */
  readonly instanceId: string;
  /** Resolves at the first registration; never rejects. */
  readonly registered: Promise<void>;
  /** Resolves when every provider is ready or failed. */
  readonly settled: Promise<void>;
  /** Resolves with what makes going on pointless: `runner_unauthorized`, `runner_forbidden`, `runner_id_taken`. */
  readonly fatal: Promise<FairleadError>;
  status(): ProviderRow[];
  /** Carries out one request without the link. */
  handleRequest(request: RunnerRequest, budgetMs: number): Promise<RunnerResponse>;
  /** Ends everything within some 3 s: candidates, calls, processes, link, socket, folder. */
  close(): Promise<void>;
};

/**
 * Starts a Runner: takes its folder, begins to start its providers and to dial the gateway, and does not wait for either.
 * Rejects with `runner_folder_in_use`, `runner_folder_unusable`, or a code of `readRunnerConfig` (its lines and keys go to
 * the log); nothing is left running then.
 */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  await using stack = new AsyncDisposableStack();
  const { log, clock, random, platform, runnerId } = options;
  if (!/^[\x21-\x7e]+$/.test(options.token)) {
    throw new FairleadError('runner_unauthorized', runnerErrors.runner_unauthorized.message);
  }
  const url = linkUrl(options.gatewayUrl);
  const config = await readConfigAtStart(options);
  const { projects } = await readProjects(config, options);
  const folder = stack.use(await RunnerFolder.open(options.stateDirectory, runnerId));
  const watchdog = stack.use(
    startWatchdog({ random, platform, clock, onEvent: (event) => logWatchdog(log, event) }),
  );
  const providers = new ProviderSet(providerOptions(options, watchdog));
  const instanceId = randomId('rin_', random);
  const ledger = stack.use(
    new CallLedger({
      clock,
      carryOut: (request, budgetMs, answer) =>
        answerRequest(providers, request, budgetMs, answer, configuration),
    }),
  );
  const link = stack.use(
    new LinkClient({
      connect: options.connect ?? connectLink,
      target: { url, token: options.token, timeoutMs: config.websocketConnectTimeoutSecs * 1000 },
      identity: {
        runner_id: runnerId,
        instance_id: instanceId,
        ...nameMember(options.instanceName ?? config.displayName),
        capabilities: ['native_tool_plugins'],
        projects: toldProjects(projects),
      },
      clock,
      log,
      handler: (frame, reply) => ledger.handle(frame, reply),
    }),
  );
  const configuration = new RunnerConfiguration({
    providers,
    projects,
    readProjects: (file) => readProjects(file, options),
    apply: (file, changed) => {
      link.timeoutMs = file.websocketConnectTimeoutSecs * 1000;
      link.show({
        ...nameMember(options.instanceName ?? file.displayName),
        projects: toldProjects(changed),
      });
    },
  });
  // Windows has no socket in a folder, and its named pipes are open to every user of the machine.
  if (platform === 'win32') log('warn', 'local.unavailable');
  else
    stack.use(
      await LocalSocket.listen(folder.socketPath, localHandler(runnerId, providers, link), { clock, log }),
    );
  // Ends before the link does, so that the link can still tell what became of calls in flight.
  stack.use(providers);
  const settled = providers.start(config);
  const owned = stack.move();
  const close = () => owned.disposeAsync();
  return {
    runnerId,
    instanceId,
    registered: link.registered,
    settled,
    fatal: link.fatal,
    status: () => providers.rows(),
    handleRequest: (request, budgetMs) => handleRequest(providers, request, budgetMs, configuration),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function providerOptions(options: RunnerOptions, watchdog: Watchdog): ProviderSetOptions {
  const { env, platform, clock, random, log, cwd = process.cwd(), configPath } = options;
  const sensitive = sensitiveNames(options.extraSensitive);
  const start = options.spawnTree ?? spawnTree;
  return {
    services: { clock, random, platform, log, cwd, watchdog, spawnTree: start, resolveExecutable },
    readConfig: async () => (configPath === undefined ? NO_FILE : readRunnerConfig(configPath, platform)),
    environmentsOf: ({ shell }, signal) =>
      new EnvironmentSnapshots({
        shell,
        base: env,
        sensitive,
        cwd,
        platform,
        clock,
        random,
        watchdog,
        signal,
      }),
  };
}

const NO_FILE: RunnerConfigFile = {
  ok: false,
  code: 'plugin_config_read_failed',
  localDetail: 'this Runner was started without a configuration file',
};

async function readConfigAtStart({ configPath, platform, log }: RunnerOptions): Promise<RunnerConfig> {
  if (configPath === undefined) return emptyConfig();
  const file = await readRunnerConfig(configPath, platform);
  if (file.ok) {
    for (const note of file.warnings) log('warn', 'config.warning', { detail: noteText(note) });
    return file.config;
  }
  if (file.absent === true) return emptyConfig();
  log('error', 'config.refused', { code: file.code, detail: file.localDetail });
  throw new FairleadError(file.code, protocolErrors[file.code].message);
}

function nameMember(name: string | undefined): { name?: string } {
  return name === undefined ? {} : { name };
}
