import { type ChildProcess, spawn as nodeSpawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, type Random, randomId, systemClock } from '@fairlead/base';
import { watchdogLimits } from '../limits.ts';
import type { Platform } from '../platform.ts';
import { StderrPipes } from '../stderr/stderr-pipes.ts';
import { hasProc, type ProcessReader, procReader } from '../tree/process-reader.ts';
import { psReader } from '../tree/ps-reader.ts';
import { within } from '../within.ts';

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
};

const SCRIPT = join(import.meta.dirname, 'watchdog.sh');

/** Starts the watchdog of this process. One per Runner, before its first tree; close it after the last one has ended. */
export function startWatchdog(options: WatchdogOptions): Watchdog {
  return new Watchdog(options);
}

/**
 * What outlives a Runner that is killed: a small shell script in a session of its own, which holds a pipe from the Runner and ends
 * the Runner's process trees when that pipe closes. It costs nothing while it waits. If it ends unexpectedly, it is started
 * again with all that it knew. It also carries what the trees of one Runner share.
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
  #child: ChildProcess | null = null;
  #restarts = 0;
  #closing: Promise<void> | null = null;

  constructor(options: WatchdogOptions) {
    const { spawn = nodeSpawn, procRoot = '/proc', random } = options;
    this.#options = options;
    this.#spawn = spawn;
    this.token = randomId('', random);
    this.processes = hasProc(procRoot) ? procReader(procRoot) : psReader(spawn);
    this.pipes = new StderrPipes({ spawn, temporaryFolder: tmpdir });
    if ((options.platform ?? process.platform) !== 'win32') this.#start();
  }

  /** The watchdog's process, or null when none runs: on Windows, without a shell, or after its last restart. */
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

  /** Closes the pipe, as the end of the Runner would, and waits until the watchdog has looked and ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #start(): void {
    const [program, ...args] = this.#options.shell ?? ['/bin/sh'];
    const child = this.#spawn(program, [...args, SCRIPT], {
      cwd: '/',
      // No variable of the Runner: neither a credential nor the mark of a tree that the Runner itself stands in.
      env: { PATH: `${process.env['PATH'] ?? ''}:/usr/bin:/bin`, LC_ALL: 'C' },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
    if (child.pid === undefined) return;
    child.unref();
    unref(child.stdin);
    this.#child = child;
    child.on('exit', () => this.#ended(child));
    const own = this.processes.row(process.pid);
    this.#tell(`proc ${this.#options.procRoot ?? '/proc'}`);
    this.#tell(`token ${this.token}`);
    this.#tell(`runner ${process.pid} ${own?.session ?? 0} ${own?.started ?? 0}`);
    for (const [pid, started] of this.#watched) this.#tell(`watch ${pid} ${started}`);
  }

  #ended(child: ChildProcess): void {
    if (this.#child === child) this.#child = null;
    if (this.#closing !== null || this.#restarts === watchdogLimits.restarts) return;
    this.#restarts += 1;
    this.#start();
  }

  #tell(line: string): void {
    this.#child?.stdin?.write(`${line}\n`);
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    child.ref();
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.stdin?.end();
    const { clock = systemClock() } = this.#options;
    if (await within(clock, watchdogLimits.closeMs, exited)) return;
    child.kill('SIGKILL');
    await exited;
  }
}

/** Node types a child's pipe as a plain stream; the sockets that they are can be unreferenced. */
function unref(stream: object | null): void {
  const method: unknown = stream === null ? undefined : Reflect.get(stream, 'unref');
  if (typeof method === 'function') method.call(stream);
}
