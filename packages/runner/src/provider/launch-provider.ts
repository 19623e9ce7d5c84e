import { type Clock, type JsonObject, type Random, randomId } from '@fairlead/base';
import {
  type ProcessTree,
  type resolveExecutable,
  StderrRing,
  type spawnTree,
  type TreeOwner,
} from '@fairlead/process';
import {
  admitCatalog,
  type CheckPhase,
  checkInitializeResult,
  type Diagnostic,
  type FrozenCatalog,
  PROTOCOL_VERSION,
} from '@fairlead/protocol';
import { canonicalPath } from '../config/canonical-path.ts';
import type { ProviderConfig } from '../config/plugins-table.ts';
import type { RunnerLog } from '../log.ts';
import type { EnvironmentSnapshots } from './environment-snapshots.ts';
import type { RequestEnd } from './provider-connection.ts';
import { ProviderInstance } from './provider-instance.ts';
import { ProviderProcess } from './provider-process.ts';

/** How far a launch that failed came. */
type LaunchPhase = Exclude<CheckPhase, 'config' | 'ready'>;

type LaunchFailure = {
  readonly ok: false;
  readonly phase: LaunchPhase;
  readonly code: string;
  readonly diagnostic?: Diagnostic;
  /** True once a program was started: it may have had effects of its own. */
  readonly started: boolean;
  /** What the program wrote, where one was started. */
  readonly stderr: StderrRing | null;
};

export type Launch =
  | { readonly ok: true; readonly instance: ProviderInstance; readonly stderr: StderrRing }
  | LaunchFailure;

/** What a launch needs from this machine. */
export type LaunchServices = {
  readonly clock: Clock;
  readonly random: Random;
  readonly platform: NodeJS.Platform;
  readonly log: RunnerLog;
  /** The folder of a provider without a `cwd`. */
  readonly cwd: string;
  readonly watchdog: TreeOwner;
  readonly resolveExecutable: typeof resolveExecutable;
  readonly spawnTree: typeof spawnTree;
};

/**
 * Starts one configured program and admits its catalog: environment, executable, spawn, initialize, tools/list,
 * validation. A failure names its phase and code, and its process tree is gone when this resolves; so is it when
 * `signal` aborts (`plugin_manager_stopping`).
 */
export async function launchProvider(
  config: ProviderConfig,
  environment: EnvironmentSnapshots,
  services: LaunchServices,
  signal: AbortSignal,
): Promise<Launch> {
  try {
    return await launch(config, environment, services, signal);
  } catch {
    // Fairlead's own fault, which must not take the other providers along.
    return { ...unstarted('spawn', 'plugin_provider_state_failed'), started: true };
  }
}

async function launch(
  config: ProviderConfig,
  environment: EnvironmentSnapshots,
  services: LaunchServices,
  signal: AbortSignal,
): Promise<Launch> {
  const prepared = await environment.prepare(config);
  if (signal.aborted) return unstarted('environment', STOPPING);
  if (!prepared.ok)
    return { ...unstarted('environment', prepared.code), stderr: localLines(prepared.localDetail) };
  const cwd = config.cwd ?? services.cwd;
  const { env } = prepared;
  const { platform } = services;
  const executable = await services.resolveExecutable({ command: config.command, cwd, env, platform });
  if (signal.aborted) return unstarted('executable', STOPPING);
  if (!executable.ok) return unstarted('executable', executable.code);
  // Before the process is there: a link that is moved afterwards does not move it.
  const canonicalCwd = config.cwd === undefined ? null : await canonicalPath(config.cwd);
  const { watchdog, random } = services;
  const spawned = await services.spawnTree({
    path: executable.path,
    args: config.args,
    cwd,
    env,
    watchdog,
    isolation: config.isolation,
    platform,
    random,
  });
  if (!spawned.ok) {
    const phase = spawned.code === 'plugin_stdio_unavailable' ? 'stdio' : 'spawn';
    return { ...unstarted(phase, spawned.code), stderr: localLines(spawned.localDetail) };
  }
  return new Admitting(config, spawned.tree, services, signal, canonicalCwd).run();
}

const STOPPING = 'plugin_manager_stopping';

/** May name paths and hold what an init script wrote: it is kept where stderr is, for this machine only, and never logged. */
function localLines(detail: string): StderrRing {
  const ring = new StderrRing();
  ring.push(Buffer.from(`${detail}\n`));
  return ring;
}

function unstarted(phase: LaunchPhase, code: string): LaunchFailure {
  return { ok: false, phase, code, started: false, stderr: null };
}

/** From a started process to an instance, or to a failure that leaves no process. */
class Admitting {
  readonly #config: ProviderConfig;
  readonly #services: LaunchServices;
  readonly #signal: AbortSignal;
  readonly #canonicalCwd: string | null;
  readonly #process: ProviderProcess;
  #instance: ProviderInstance | null = null;

  constructor(
    config: ProviderConfig,
    tree: ProcessTree,
    services: LaunchServices,
    signal: AbortSignal,
    canonicalCwd: string | null,
  ) {
    this.#config = config;
    this.#canonicalCwd = canonicalCwd;
    this.#services = services;
    this.#signal = signal;
    const { clock, log } = services;
    const events = {
      onIdleFault: (code: string) => this.#instance?.idleFault(code),
      onIdle: () => this.#instance?.sendNext(),
    };
    this.#process = new ProviderProcess({ id: config.id, tree, clock, log, events });
  }

  async run(): Promise<Launch> {
    const stop = () => this.#process.connection.close(STOPPING);
    this.#signal.addEventListener('abort', stop, { once: true });
    try {
      if (this.#signal.aborted) stop();
      return await this.#admit();
    } catch {
      return await this.#fail('validation', 'plugin_provider_state_failed');
    } finally {
      this.#signal.removeEventListener('abort', stop);
    }
  }

  async #admit(): Promise<Launch> {
    const hello = await this.#ask('initialize', { protocolVersion: PROTOCOL_VERSION });
    if (hello.kind !== 'result') return this.#fail('initialize', codeOf(hello));
    const mismatch = checkInitializeResult(hello.result, hello.bytes);
    if (mismatch !== null) return this.#fail('initialize', mismatch);
    const list = await this.#ask('tools/list', {});
    if (list.kind !== 'result') return this.#fail('tools_list', codeOf(list));
    const admission = admitCatalog(list.result);
    if (!admission.ok) return this.#fail('validation', 'plugin_tools_list_invalid', admission.diagnostic);
    // A line after the answer, or the end of the output, has come in the meantime.
    const { fault } = this.#process.connection;
    if (fault !== null) return this.#fail('tools_list', fault);
    return { ok: true, instance: this.#ready(admission.catalog), stderr: this.#process.stderr };
  }

  #ask(method: 'initialize' | 'tools/list', params: JsonObject): Promise<RequestEnd> {
    const deadlineAtMs = this.#services.clock.monotonicMs() + this.#config.timeoutMs;
    return new Promise((resolve) => {
      this.#process.connection.request(method, params, deadlineAtMs, resolve);
    });
  }

  #ready(catalog: FrozenCatalog): ProviderInstance {
    const { clock, random, log } = this.#services;
    const { id, toolTimeoutMs } = this.#config;
    for (const tool of toolTimeoutMs.keys()) {
      if (!catalog.tools.has(tool)) log('warn', 'provider.tool_timeout_unused', { plugin: id, tool });
    }
    this.#instance = new ProviderInstance({
      id: randomId('pin_', random),
      config: this.#config,
      catalog,
      canonicalCwd: this.#canonicalCwd,
      connection: this.#process.connection,
      clock,
      endTree: () => this.#process.end(),
      onRetired: (code) => log('warn', 'provider.retired', { plugin: id, code }),
    });
    return this.#instance;
  }

  async #fail(phase: LaunchPhase, code: string, diagnostic?: Diagnostic): Promise<LaunchFailure> {
    this.#process.connection.close(code);
    await this.#process.end();
    const failure = { ok: false, phase, code, started: true, stderr: this.#process.stderr } as const;
    return diagnostic === undefined ? failure : { ...failure, diagnostic };
  }
}

function codeOf(end: Exclude<RequestEnd, { kind: 'result' }>): string {
  return end.kind === 'rpc_error' ? 'plugin_rpc_error' : end.code;
}
