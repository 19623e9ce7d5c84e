import type { spawn as nodeSpawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { type Clock, systemClock } from '@fairlead/base';
import { finishes } from '../finishes.ts';
import { childLimits } from '../limits.ts';

/** A real pipe: the reading end as a stream, the writing end as a descriptor to hand to one child and then close. */
export type StderrPipe = { readonly reader: Socket; readonly writeFd: number };

export type StderrPipesOptions = {
  readonly spawn: typeof nodeSpawn;
  /** Where a folder for the pipes' names may be made; it is gone again before the pipe is handed out. */
  readonly temporaryFolder: () => string;
  /** Default: the machine's own. */
  readonly clock?: Clock;
};

type Waiting = (pipe: StderrPipe | null) => void;

/**
 * Makes pipes that have a name for a moment. Node gives a child socket pairs, and a socket cannot be opened through `/dev/stderr`, as
 * many scripts do. Node cannot make a FIFO itself, so `mkfifo` does: those who ask at the same time share one run of it.
 */
export class StderrPipes {
  readonly #options: StderrPipesOptions;
  #waiting: Waiting[] = [];
  #running = false;

  constructor(options: StderrPipesOptions) {
    this.#options = options;
  }

  /** A pipe, or null where the machine makes none: an ordinary socket pair serves then. */
  open(): Promise<StderrPipe | null> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#running) return;
      this.#running = true;
      queueMicrotask(() => void this.#serve());
    });
  }

  async #serve(): Promise<void> {
    while (this.#waiting.length > 0) {
      const served = this.#waiting;
      this.#waiting = [];
      const pipes = await this.#make(served.length);
      for (const [index, resolve] of served.entries()) resolve(pipes[index] ?? null);
    }
    this.#running = false;
  }

  async #make(count: number): Promise<StderrPipe[]> {
    let folder: string;
    try {
      folder = mkdtempSync(join(this.#options.temporaryFolder(), 'fairlead-'));
    } catch {
      return [];
    }
    const names = Array.from({ length: count }, (_, index) => join(folder, String(index)));
    const pipes: StderrPipe[] = [];
    try {
      if (await this.#mkfifo(names)) for (const name of names) pipes.push(openPipe(name));
    } catch {
      // Too many open files, most likely: who got none falls back.
    }
    for (const name of names) attempt(() => unlinkSync(name));
    attempt(() => rmdirSync(folder));
    return pipes;
  }

  async #mkfifo(names: readonly string[]): Promise<boolean> {
    const { spawn, clock = systemClock() } = this.#options;
    const maker = spawn('mkfifo', ['-m', '600', ...names], { stdio: 'ignore' });
    const finish = await finishes(maker, childLimits.mkfifoMs, clock);
    return finish.kind === 'ended' && finish.code === 0;
  }
}

function openPipe(name: string): StderrPipe {
  // Reading first, and without waiting for a writer; the writer's own end blocks, as a program expects of its stderr.
  const readFd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  let writeFd: number;
  try {
    writeFd = openSync(name, constants.O_WRONLY);
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
  return { reader: new Socket({ fd: readFd, readable: true, writable: false }), writeFd };
}

function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // Not made in the first place.
  }
}
