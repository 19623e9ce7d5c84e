import type { ChildProcess, spawn as nodeSpawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '@fairlead/base';
import type { Family } from '../family/family.ts';
import type { SendSignal } from '../family/send-signal.ts';
import { treeLimits } from '../limits.ts';
import type { Platform } from '../platform.ts';
import type { ProcessReader } from '../process-table/process-reader.ts';
import { within } from '../within.ts';
import { endFamily } from './end-family.ts';

/** How a process ended: by itself with a code, or by a signal. */
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A program and everything that it started, as long as it can be found (docs/explanation/process-trees.md). */
export type ProcessTree = {
  /** The program's process, leader of a session and group of its own. */
  readonly pid: number;
  /** Errors of the streams are swallowed where nobody listens for them; they never end this process. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** A real pipe where the platform has one, so that a program can open `/dev/stderr`. */
  readonly stderr: Readable;
  /** What the program writes to descriptor 3, where that was asked for. */
  readonly status?: Readable;
  /** The program's own end; what it started may live on until `end`. Never rejects. */
  readonly exited: Promise<Exit>;
  /**
   * Ends every process of the tree with SIGKILL, reads what is left in its streams and closes them. `survivors`: how many
   * still lived after one second, or the time that was given for it. Every call gives the same promise.
   */
  end(): Promise<{ readonly survivors: number }>;
};

export type TreeParts = {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly status?: Readable;
  readonly family: Family;
  readonly reader: ProcessReader;
  readonly clock: Clock;
  readonly platform: Platform;
  readonly spawn: typeof nodeSpawn;
  readonly signal: SendSignal;
  /** Called once nothing of the tree is left. */
  readonly forget: () => void;
  readonly drainMs?: number;
  readonly endBudgetMs?: number;
};

/** The tree of a child that runs in a session of its own. */
export class SpawnedTree implements ProcessTree {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly status?: Readable;
  readonly exited: Promise<Exit>;
  readonly #parts: TreeParts;
  #collected = false;
  #ending: Promise<{ readonly survivors: number }> | null = null;

  constructor(parts: TreeParts) {
    this.#parts = parts;
    this.pid = parts.pid;
    this.stdin = parts.stdin;
    this.stdout = parts.stdout;
    this.stderr = parts.stderr;
    if (parts.status !== undefined) this.status = parts.status;
    for (const stream of [this.stdin, ...this.#sources()]) stream.on('error', () => {});
    this.exited = new Promise((resolve) => {
      parts.child.once('exit', (code, signal) => {
        this.#collected = true;
        void this.#noteEnd();
        resolve({ code, signal });
      });
    });
  }

  end(): Promise<{ readonly survivors: number }> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<{ readonly survivors: number }> {
    const { family, reader, signal, clock, platform, forget } = this.#parts;
    const { endBudgetMs: budgetMs = treeLimits.endBudgetMs } = this.#parts;
    const survivors =
      platform === 'win32'
        ? await this.#endOnWindows(budgetMs)
        : await endFamily({
            family,
            reader,
            signal,
            clock,
            budgetMs,
            pid: this.pid,
            isCollected: () => this.#collected,
            collected: this.exited,
          });
    if (survivors === 0) forget();
    await this.#closeStreams();
    return { survivors };
  }

  /** A number whose process, group and session are gone may be given away: from then on it is not signalled. */
  async #noteEnd(): Promise<void> {
    const { platform, reader, family, forget } = this.#parts;
    if (platform === 'win32' || groupLives(this.pid)) return;
    if (family.rootIsGone(await reader.read())) forget();
  }

  async #endOnWindows(budgetMs: number): Promise<number> {
    const { spawn, clock } = this.#parts;
    if (this.#collected) return 0;
    const killer = spawn('taskkill', ['/T', '/F', '/PID', String(this.pid)], {
      stdio: 'ignore',
      windowsHide: true,
    });
    killer.on('error', () => {});
    return (await within(clock, budgetMs, this.exited)) ? 0 : 1;
  }

  #sources(): Readable[] {
    return [this.stdout, this.stderr, ...(this.status === undefined ? [] : [this.status])];
  }

  async #closeStreams(): Promise<void> {
    const { clock, drainMs = treeLimits.drainMs } = this.#parts;
    this.stdin.destroy();
    const sources = this.#sources();
    for (const source of sources) if (source.readableFlowing !== true) source.resume();
    await within(clock, drainMs, Promise.all(sources.map(closed)));
    for (const source of sources) source.destroy();
    await Promise.all([this.stdin, ...sources].map(closed));
  }
}

function closed(stream: Readable | Writable): Promise<void> {
  return stream.closed ? Promise.resolve() : new Promise((resolve) => stream.once('close', () => resolve()));
}

function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && Reflect.get(error, 'code') === 'EPERM';
  }
}
