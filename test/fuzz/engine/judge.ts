import { setImmediate } from 'node:timers/promises';
import type { Beacon } from './beacon.ts';
import { Broken, type OpenTarget, type Target } from './target.ts';

/** What an input broke. `name` is the same for inputs that break the same thing at the same place. */
type Verdict = { readonly name: string; readonly message: string };

/** An input that broke something. */
export type Failure = Verdict & { readonly input: Uint8Array };

/** Tells what ran since it was asked last. */
export type Coverage = { take(): readonly number[] };

/**
 * What one input came to: what ran, and what did not hold. A failure may be of an input before it, whose rejection comes to
 * light only now: each names its own.
 */
export type Judged = { readonly failures: readonly Failure[]; readonly features: readonly number[] };

/** Processor time of one input where its target says nothing else. */
const STEP_MS = 1_000;

/** Runs one input after another through an open target. */
export class Judge {
  readonly #target: Target;
  readonly #opened: OpenTarget;
  readonly #beacon: Beacon;
  readonly #coverage: Coverage;
  /** What was rejected without anybody waiting for it, since the input began. */
  #strays: unknown[] = [];
  /** What has run since the event loop turned. */
  #recent: Uint8Array[] = [];
  runs = 0;

  constructor(options: { target: Target; opened: OpenTarget; beacon: Beacon; coverage: Coverage }) {
    this.#target = options.target;
    this.#opened = options.opened;
    this.#beacon = options.beacon;
    this.#coverage = options.coverage;
    const stray = (reason: unknown) => void this.#strays.push(reason);
    process.on('unhandledRejection', stray);
    process.on('uncaughtException', stray);
  }

  /** `turns`: waits until everything that the input rejected has been told. Other inputs are waited for together, now and then. */
  async judge(input: Uint8Array, turns = false): Promise<Judged> {
    const { isAsync, ...judged } = await this.#run(input);
    this.#recent.push(input);
    if (!turns && !isAsync && this.#recent.length < INPUTS_A_TURN) return judged;
    return { ...judged, failures: [...judged.failures, ...(await this.settle())] };
  }

  /** Waits for what the last inputs rejected, and answers every one that did. */
  async settle(): Promise<readonly Failure[]> {
    const recent = this.#recent;
    const strays = await this.#turn();
    if (strays.length === 0) return [];
    if (recent.length === 1) return strayFailures(strays, recent[0]);
    const failures: Failure[] = [];
    for (const input of recent) {
      await this.#run(input);
      failures.push(...strayFailures(await this.#turn(), input));
    }
    // What does not happen again is told of the last one.
    return failures.length > 0 ? failures : strayFailures(strays, recent.at(-1));
  }

  /** Rejections are told when the event loop turns, which costs more than most inputs. */
  async #turn(): Promise<readonly unknown[]> {
    await setImmediate();
    const strays = this.#strays;
    this.#strays = [];
    this.#recent = [];
    return strays;
  }

  async #run(input: Uint8Array): Promise<Judged & { readonly isAsync: boolean }> {
    this.runs += 1;
    const before = process.threadCpuUsage();
    this.#beacon.begin(input);
    let verdict: Verdict | null = null;
    let isAsync = false;
    try {
      const running = this.#opened.run(input);
      isAsync = running !== undefined;
      if (running !== undefined) await running;
    } catch (error) {
      verdict = verdictOf(error);
    }
    this.#beacon.end();
    const { user, system } = process.threadCpuUsage(before);
    const spentMs = (user + system) / 1_000;
    const mostMs = this.#target.stepMs ?? STEP_MS;
    if (spentMs > mostMs)
      verdict ??= { name: 'slow', message: `one input took more than ${mostMs} ms of the processor` };
    const failures = verdict === null ? [] : [{ ...verdict, input }];
    return { failures, isAsync, features: this.#coverage.take() };
  }
}

const INPUTS_A_TURN = 64;

function strayFailures(
  reasons: readonly unknown[],
  input: Uint8Array = new Uint8Array(0),
): readonly Failure[] {
  return reasons.map((reason) => {
    const { name, message } = verdictOf(reason);
    return { name: `stray ${name}`, message: `rejected with nobody waiting: ${message}`, input };
  });
}

/** A broken promise is known by its words, any other error by what it is and the first own file that it passed. */
function verdictOf(error: unknown): Verdict {
  if (error instanceof Broken) return { name: error.promise, message: error.message };
  if (!(error instanceof Error)) return { name: 'thrown', message: String(error) };
  const frames = (error.stack ?? '').split('\n').filter((line) => line.includes('/packages/'));
  const place = frames[0]?.match(/packages\/[^)]*/)?.[0] ?? 'outside';
  return {
    name: `${error.name} ${place}`,
    message: `${error.name}: ${error.message.slice(0, 300)} (${place})`,
  };
}
