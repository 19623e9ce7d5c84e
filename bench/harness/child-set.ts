import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { within } from './deadline.ts';
import { benchEnvironment } from './environment.ts';

export type PipedChild = ChildProcessByStdio<Writable, Readable, null>;

const END_LIMIT_MS = 10_000;

/** Owns the processes that a bench starts: whatever still runs at the end is ended. */
export class ChildSet implements AsyncDisposable {
  readonly #running = new Set<ChildProcess>();

  /**
   * Starts a program with a pipe to its stdin and from its stdout; its stderr is this process's or goes to a file. It leads a session of its
   * own as a Runner's plugins do: Linux divides a busy processor between sessions first, so one that shared this
   * process's session would be slower for no reason of its own.
   */
  start(
    command: string,
    args: readonly string[],
    options: { readonly stderrFile?: string } = {},
  ): PipedChild {
    const { stderrFile } = options;
    const stderr = stderrFile === undefined ? 'inherit' : openSync(stderrFile, 'a');
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', stderr],
      env: benchEnvironment(),
      detached: true,
    }) as PipedChild;
    if (typeof stderr === 'number') closeSync(stderr);
    this.#running.add(child);
    // A child that has ended makes a write fail; who waits for its answer learns of it by its exit.
    child.stdin.on('error', () => {});
    child.once('exit', () => this.#running.delete(child));
    child.once('error', () => this.#running.delete(child));
    return child;
  }

  /**
   * Ends one child and waits until it is gone: `signal` to itself first, SIGKILL to it and what it started when that does
   * not help.
   */
  async end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const exited = once(child, 'exit');
    if (signal === 'SIGKILL') killGroup(child);
    else child.kill(signal);
    try {
      await within(exited, END_LIMIT_MS, `the end of process ${child.pid}`);
    } finally {
      if (this.#running.has(child)) killGroup(child);
    }
  }

  /** At once and without waiting, for a process that is about to exit. */
  killAll(): void {
    for (const child of this.#running) killGroup(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.end(child)));
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Ended in the meantime.
  }
}
