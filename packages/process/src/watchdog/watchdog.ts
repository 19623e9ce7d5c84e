import { type ChildProcess, spawn as nodeSpawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, type Random, randomId, systemClock, type Timer } from '@fairlead/base';
import { PROVIDER_VARIABLE } from '../family/provider-variable.ts';
import { sendSignal } from '../family/send-signal.ts';
import { watchdogLimits } from '../limits.ts';
import type { Platform } from '../platform.ts';
import { hasProc, type ProcessReader, procReader } from '../process-table/process-reader.ts';
import { psReader } from '../process-table/ps-reader.ts';
import { StderrPipes } from '../stderr/stderr-pipes.ts';
import { within } from '../within.ts';
import { endWatched } from './end-watched.ts';

export type WatchdogOptions = {
  readonly random: Random;
  /** Default: this machine's. On Windows there is no watchdog process; the rest works. */
  readonly platform?: Platform;
  readonly clock?: Clock;
  readonly spawn?: typeof nodeSpawn;
  /** Where processes are seen, default `/proc`. Where that is not, process groups and `ps` serve. */
  readonly procRoot?: string;
  /** The POSIX shell that runs it, with its arguments; default `/bin/sh`. */
  readonly shell?: readonly [string, ...string[]];
  /** Told of each loss and each new start. Until the new start nothing ends the trees if the Runner is killed. */
  readonly onEvent?: (event: WatchdogEvent) => void;
};

export type WatchdogEvent =
  /** It ended, or was killed, and was not asked to; the next start is tried after `restartMs`. */
  | {
      readonly kind: 'lost';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly restartMs: number;
    }
  /** One runs again and knows every tree, after a loss or after it had been unavailable. */
  | { readonly kind: 'restarted' }
  /** The system refuses to start one, with its own code. Told once, and tried again until one runs. */
  | { readonly kind: 'unavailable'; readonly code: string };

const SCRIPT = join(import.meta.dirname, 'watchdog.sh');

/** Starts the watchdog of this process. One per Runner, before its first tree; close it after the last one has ended. */
export function startWatchdog(options: WatchdogOptions): Watchdog {
  return new Watchdog(options);
}

/**
 * What outlives a Runner that is killed: a small shell script in a session of its own, which holds a pipe from the Runner and ends
 * the Runner's process trees when that pipe closes. It costs nothing while it waits. If it ends unexpectedly, it is started
 * again with all that it knew, after a pause of 0.1 s that grows to 30 s. It also carries what the trees of one Runner share.
 */
export class Watchdog implements AsyncDisposable {
  /** Stands in `FAIRLEAD_PROVIDER` of every process of this Runner's trees: 128 random bits. */
  readonly token: string;
  /** The process table, read once for all who ask at the same time. */
  readonly processes: ProcessReader;
  readonly pipes: StderrPipes;
  readonly #options: WatchdogOptions;
  readonly #spawn: typeof nodeSpawn;
  readonly #watched = new Map<number, number>();
  readonly #clock: Clock;
  #child: ChildProcess | null = null;
  #pauseMs: number = watchdogLimits.restartFirstMs;
  #restart: Timer | null = null;
  #unavailable = false;
  #closing: Promise<void> | null = null;

  constructor(options: WatchdogOptions) {
    const { spawn = nodeSpawn, procRoot = '/proc', random, clock = systemClock() } = options;
    this.#options = options;
    this.#clock = clock;
    this.#spawn = spawn;
    this.token = randomId('', random);
    this.processes = hasProc(procRoot) ? procReader(procRoot) : psReader(spawn);
    this.pipes = new StderrPipes({ spawn, temporaryFolder: tmpdir });
    if ((options.platform ?? process.platform) !== 'win32') this.#start();
  }

  /** The watchdog's process, or null when none runs: on Windows, without a shell, or until it is started again. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Registers a tree by its root, a session leader that lives. */
  watch(pid: number): void {
    const started = this.processes.row(pid)?.started ?? 0;
    this.#watched.set(pid, started);
    this.#tell(`watch ${pid} ${started}`);
  }

  /** Takes a tree off that is known to have ended: its number may soon be somebody else's. */
  forget(pid: number): void {
    const started = this.#watched.get(pid);
    if (started === undefined) return;
    this.#watched.delete(pid);
    this.#tell(`forget ${pid} ${started}`);
  }

  /**
   * Closes the pipe, as the end of the Runner would, and waits until the watchdog has looked and ended. One that takes more than 1.5 s is
   * killed, when what it was to end has been ended from here, for which there is one second more.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #start(): void {
    let child: ChildProcess;
    try {
      child = this.#spawnShell();
    } catch (error) {
      this.#refused(error);
      return;
    }
    child.on('error', (error) => {
      if (child.pid === undefined) this.#refused(error);
    });
    child.stdin?.on('error', () => {});
    if (child.pid === undefined) return;
    child.unref();
    unref(child.stdin);
    this.#child = child;
    const sinceMs = this.#clock.monotonicMs();
    child.on('exit', (code, signal) => this.#ended(code, signal, this.#clock.monotonicMs() - sinceMs));
    const own = this.processes.row(process.pid);
    this.#tell(`proc ${this.#options.procRoot ?? '/proc'}`);
    this.#tell(`token ${this.token}`);
    this.#tell(`runner ${process.pid} ${own?.session ?? 0} ${own?.started ?? 0}`);
    for (const [pid, started] of this.#watched) this.#tell(`watch ${pid} ${started}`);
    this.#unavailable = false;
    if (this.#restart !== null) this.#options.onEvent?.({ kind: 'restarted' });
  }

  #spawnShell(): ChildProcess {
    const [program, ...args] = this.#options.shell ?? ['/bin/sh'];
    return this.#spawn(program, [...args, SCRIPT], {
      cwd: '/',
      // No variable of the Runner: neither a credential nor the mark of a tree that the Runner itself stands in.
      env: { PATH: `${process.env['PATH'] ?? ''}:/usr/bin:/bin`, LC_ALL: 'C' },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
  }

  #refused(error: unknown): void {
    if (this.#closing !== null) return;
    this.#startLater();
    if (this.#unavailable) return;
    this.#unavailable = true;
    const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    this.#options.onEvent?.({ kind: 'unavailable', code: typeof code === 'string' ? code : 'unknown' });
  }

  #ended(code: number | null, signal: NodeJS.Signals | null, lifeMs: number): void {
    this.#child = null;
    if (this.#closing !== null) return;
    if (lifeMs >= watchdogLimits.steadyMs) this.#pauseMs = watchdogLimits.restartFirstMs;
    this.#options.onEvent?.({ kind: 'lost', code, signal, restartMs: this.#startLater() });
  }

  /** Returns the pause. It does not keep the Runner's process alive. */
  #startLater(): number {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(pauseMs * 2, watchdogLimits.restartLastMs);
    this.#restart = this.#clock.setTimer(pauseMs, () => this.#start(), { unref: true });
    return pauseMs;
  }

  #tell(line: string): void {
    this.#child?.stdin?.write(`${line}\n`);
  }

  async #close(): Promise<void> {
    this.#restart?.cancel();
    const child = this.#child;
    if (child === null) return;
    child.ref();
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.stdin?.end();
    // A plugin of the same user may have stopped it.
    child.kill('SIGCONT');
    if (await within(this.#clock, watchdogLimits.closeMs, exited)) return;
    // Whom it has stopped and not ended yet would stand for ever.
    await endWatched({
      watched: this.#watched,
      mark: Buffer.from(`${PROVIDER_VARIABLE}=${this.token}.`),
      since: this.processes.row(process.pid)?.started ?? 0,
      reader: this.processes,
      signal: sendSignal,
      // Real processes end in real time.
      clock: systemClock(),
    });
    // Ends a stopped one too.
    child.kill('SIGKILL');
    await exited;
  }
}

/** Node types a child's pipe as a plain stream; the sockets that they are can be unreferenced. */
function unref(stream: object | null): void {
  const method: unknown = stream === null ? undefined : Reflect.get(stream, 'unref');
  if (typeof method === 'function') method.call(stream);
}
