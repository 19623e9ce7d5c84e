import type { Clock, JsonObject, Random } from '@fairlead/base';
import {
  prepareEnvironment,
  resolveExecutable,
  sensitiveNames,
  spawnTree as spawnMachineTree,
  type spawnTree,
  startWatchdog,
  type Watchdog,
} from '@fairlead/process';
import { PROTOCOL_VERSION } from '@fairlead/protocol';
import { runLimits } from '../limits.ts';
import { PluginSession, type SessionTimes } from './plugin-session.ts';

/** The program under test. */
export type PluginCommand = {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The kit's own environment; credentials of Fairlead are taken out of it, as a Runner does. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type LabOptions = SessionTimes & {
  readonly plugin: PluginCommand;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly random: Random;
  /** Default: real processes. */
  readonly spawnTree?: typeof spawnTree;
  readonly kill?: (pid: number, signal: 'SIGTERM') => unknown;
};

/** Why nothing could be started. `localDetail` may name paths. */
export type StartFault = { readonly ok: false; readonly code: string; readonly localDetail: string };

export const INITIALIZE: JsonObject = Object.freeze({ protocolVersion: PROTOCOL_VERSION });

/** Without these no program starts on Windows, whatever its own wishes. */
const WINDOWS_NAMES: readonly string[] = ['SystemRoot', 'PATHEXT'];

/** Starts the plugin under test, and leaves no process of it behind: a watchdog ends them if the kit is killed. */
export class Lab implements AsyncDisposable {
  readonly times: SessionTimes;
  readonly #options: LabOptions;
  readonly #watchdog: Watchdog;
  #env: Readonly<Record<string, string>> | null = null;
  #sessions: PluginSession[] = [];

  constructor(options: LabOptions) {
    const { platform, random } = options;
    this.#options = options;
    this.times = options;
    this.#watchdog = startWatchdog({ random, platform });
  }

  /** The process that was started last, until another is. */
  get lastSession(): PluginSession | null {
    return this.#sessions.at(-1) ?? null;
  }

  /** Ends what was started before and starts another process. `environment`: what the plugin gets of its starter's. */
  async start(environment: 'whole' | 'path-only' = 'whole'): Promise<PluginSession | StartFault> {
    await this.#close();
    return await this.#start(environment);
  }

  /** Starts another process while the one before lives. */
  startBeside(): Promise<PluginSession | StartFault> {
    return this.#start('whole');
  }

  async #start(environment: 'whole' | 'path-only'): Promise<PluginSession | StartFault> {
    const { plugin, platform, clock, random, kill = process.kill } = this.#options;
    const { spawnTree: spawn = spawnMachineTree } = this.#options;
    const { command, args, cwd } = plugin;
    const prepared = await this.#environment();
    const found = await resolveExecutable({ command, cwd, env: prepared, platform });
    if (!found.ok) return { ok: false, code: found.code, localDetail: `no program ${command}` };
    const spawned = await spawn({
      path: found.path,
      args,
      cwd,
      env: environment === 'whole' ? prepared : pathOnly(prepared, platform),
      watchdog: this.#watchdog,
      isolation: 'none',
      platform,
      random,
    });
    if (!spawned.ok) return spawned;
    const session = new PluginSession(spawned.tree, clock, { ...this.times, kill });
    this.#sessions.push(session);
    return session;
  }

  /** How many processes of the plugin still live, a moment after its own end. Its tree is ended by that, as by a Runner. */
  async leftovers(session: PluginSession): Promise<number> {
    const { clock } = this.#options;
    const deadlineMs = clock.monotonicMs() + runLimits.leftoverMs;
    let left = await this.#living(session);
    while (left > 0 && clock.monotonicMs() < deadlineMs) {
      await new Promise<void>((resolve) => void clock.setTimer(runLimits.leftoverPollMs, resolve));
      left = await this.#living(session);
    }
    return left;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
    await this.#watchdog.close();
  }

  /** What a Runner without a shell profile gives: its own environment, without credentials and instruments. */
  async #environment(): Promise<Readonly<Record<string, string>>> {
    if (this.#env !== null) return this.#env;
    const { plugin, platform, clock, random } = this.#options;
    const shell = { program: 'sh', args: ['-c'], dialect: 'posix', pathPrepend: [], env: {} } as const;
    const { cwd, env: base } = plugin;
    const sensitive = sensitiveNames();
    const prepared = await prepareEnvironment({ base, shell, cwd, platform, sensitive, clock, random });
    // Only an init script can fail, and there is none.
    this.#env = prepared.ok ? prepared.env : {};
    return this.#env;
  }

  async #close(): Promise<void> {
    for (const session of this.#sessions.splice(0)) await session.close();
  }

  async #living(session: PluginSession): Promise<number> {
    const { rows, environmentHolds } = await this.#watchdog.processes.read();
    const mark = Buffer.from(`FAIRLEAD_PROVIDER=${this.#watchdog.token}.`);
    const { pid } = session.tree;
    let count = 0;
    for (const row of rows.values()) {
      if (row.ended || row.pid === this.#watchdog.pid) continue;
      if (row.session === pid || row.group === pid || environmentHolds(row.pid, mark)) count += 1;
    }
    return count;
  }
}

/** True where `start` gave no process. */
export function isStartFault(started: PluginSession | StartFault): started is StartFault {
  return 'ok' in started;
}

/** An environment with nothing in it but what a program is found and started by. */
export function pathOnly(
  env: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): Readonly<Record<string, string>> {
  const kept = platform === 'win32' ? ['Path', 'PATH', ...WINDOWS_NAMES] : ['PATH'];
  return Object.fromEntries(Object.entries(env).filter(([name]) => kept.includes(name)));
}
