import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const entry = join(import.meta.dirname, 'fleet-process.ts');
/** Only catches hanging: a stop takes less than a second, on a machine that has time for it. */
const STOP_MS = 30_000;
const STDERR_KEPT = 8_192;

/** One process of the fleet: a gateway, a Runner, or both. */
export class FleetMember {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #stderr = '';
  #stdout = '';
  #awaited = false;
  #isOver = false;
  #limits: { readonly soft: string; readonly hard: string } | null = null;

  /** Starts one `fairlead` command; `rate` times faster than the machine's clock. */
  constructor(name: string, rate: number, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.name = name;
    this.#child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', entry, String(rate), ...args],
      {
        env,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    );
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.#child.on('error', () => {});
    this.#ended = new Promise((resolve) => {
      this.#child.once('close', () => {
        this.#isOver = true;
        resolve();
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isOver(): boolean {
    return this.#isOver || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** True where it has ended and nobody had asked it to. */
  get isLost(): boolean {
    return this.isOver && !this.#awaited;
  }

  /** What it said last on stderr. */
  get said(): string {
    return this.#stderr;
  }

  get stdout(): string {
    return this.#stdout;
  }

  /** Answers whether it was there to get it. */
  signal(signal: NodeJS.Signals): boolean {
    return !this.isOver && this.#child.kill(signal);
  }

  /** SIGKILL, and its end awaited; answers whether it had not ended before. */
  async kill(): Promise<boolean> {
    this.#await();
    const wasLive = this.signal('SIGKILL');
    await this.#ended;
    return wasLive;
  }

  /** SIGTERM, also where it stands still, and SIGKILL where that is not enough within its patience; answers whether it was. */
  async stop(patience: AbortSignal = AbortSignal.timeout(STOP_MS)): Promise<boolean> {
    this.#await();
    let wasEnough = true;
    this.signal('SIGTERM');
    this.signal('SIGCONT');
    const end = () => {
      wasEnough = !this.signal('SIGKILL');
    };
    if (patience.aborted) end();
    else patience.addEventListener('abort', end, { once: true });
    await this.#ended;
    patience.removeEventListener('abort', end);
    return wasEnough;
  }

  /** What has ended by itself before stays lost. */
  #await(): void {
    if (!this.isOver) this.#awaited = true;
  }

  /** Sets its wall clock wrong; answers whether it said in time that it is. */
  async skew(offsetMs: number): Promise<boolean> {
    if (this.isOver || !this.#child.connected) return false;
    const done = new Promise<boolean>((resolve) => {
      const end = (isSkewed: boolean) => {
        clearTimeout(timer);
        this.#child.off('message', heard);
        resolve(isSkewed);
      };
      const heard = () => end(true);
      const timer = setTimeout(() => end(false), 500);
      this.#child.once('message', heard);
    });
    this.#child.send({ offsetMs }, () => {});
    return await done;
  }

  /** From now on it may have only `spare` descriptors more than it has; answers whether the machine did so. */
  limitDescriptors(spare: number): boolean {
    if (this.isOver) return false;
    const limits = readFileSync(`/proc/${this.pid}/limits`, 'utf8');
    const [, soft = '1024', hard = '4096'] = /^Max open files\s+(\S+)\s+(\S+)/m.exec(limits) ?? [];
    this.#limits ??= { soft, hard };
    // The limit is one of numbers: it bites where the lowest free one is not below it.
    const open = new Set(readdirSync(`/proc/${this.pid}/fd`).map(Number));
    let limit = 0;
    for (let free = 0; free <= spare; limit += 1) if (!open.has(limit)) free += 1;
    return prlimit(this.pid, `${limit - 1}:${hard}`);
  }

  /** Answers whether it has its limits back. */
  unlimitDescriptors(): boolean {
    const limits = this.#limits;
    this.#limits = null;
    return limits !== null && !this.isOver && prlimit(this.pid, `${limits.soft}:${limits.hard}`);
  }
}

function prlimit(pid: number, limit: string): boolean {
  return spawnSync('prlimit', ['--pid', String(pid), `--nofile=${limit}`], { stdio: 'ignore' }).status === 0;
}
