import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Adversary } from './adversary.ts';
import { ROUNDS_OF_A_FLEET } from './agent-configuration.ts';
import { Fleet } from './fleet.ts';
import type { Fault } from './judge.ts';
import { type Later, lateExecutions } from './late-executions.ts';
import { readLedger } from './ledger.ts';
import { planRound, type RoundPlan, type Topology } from './plan.ts';
import { type RoundResult, runRound } from './round.ts';
import { namesOf } from './round-names.ts';
import { SmallDisk } from './small-disk.ts';

/** The seeds of the rounds that a fleet had been through, in order, the one in question last. */
export type History = readonly number[];

/** A round of a series: what came of it, why it could not be run here, or how its fleet was broken by it for good. */
export type SeriesRound =
  | { readonly kind: 'ran'; readonly result: RoundResult; readonly tookMs: number; readonly history: History }
  | { readonly kind: 'not run'; readonly plan: RoundPlan; readonly reason: string }
  | { readonly kind: 'broken'; readonly plan: RoundPlan; readonly error: unknown; readonly history: History };

/** What was found only when a fleet had ended. `plan`: the round that did it, or the last one where it may have been any. */
export type FoundAtEnd = { readonly fault: Fault; readonly plan: RoundPlan; readonly history: History };

/** A fleet with the rounds that it has been through. */
type Stay = {
  readonly fleet: Fleet;
  readonly plans: RoundPlan[];
  /** What each call would be a case of that is found in the ledger after its round. */
  readonly later: Map<string, { readonly kind: Later; readonly plan: RoundPlan }>;
};

/** Rounds one after another, on fleets that stay for a while, as long as nothing is found. */
export class Series implements AsyncDisposable {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'f-')));
  readonly #stays = new Map<Topology, Stay>();
  readonly #lacking = new Map<Adversary, string>();
  #atEnds: FoundAtEnd[] = [];
  #through: number[] = [];
  #count = 0;

  constructor() {
    const lacksDisk = lackOfDisk(this.#root);
    if (lacksDisk !== null) this.#lacking.set('fill-disk', lacksDisk);
    if (spawnSync('prlimit', ['--version'], { stdio: 'ignore' }).status !== 0)
      this.#lacking.set(
        'exhaust-descriptors',
        'prlimit, which bounds a running process, is not installed here',
      );
  }

  /** Runs the round of a seed. A fleet that it breaks, or in which it finds something, is of no use to the next round, and ends. */
  async run(seed: number, only?: Adversary): Promise<SeriesRound> {
    const plan = planRound(seed, only);
    const { topology } = plan;
    const reason = this.#lacking.get(plan.adversary);
    if (reason !== undefined) return { kind: 'not run', plan, reason };
    this.#count += 1;
    const startedMs = performance.now();
    try {
      const { fleet, plans, later } = await this.#stay(topology);
      const names = namesOf(plan, { tag: `r${this.#count}`, place: plans.length });
      plans.push(plan);
      // Where the round breaks its fleet, nobody has judged what they did.
      for (const name of names.calls) later.set(name, { kind: null, plan });
      const result = await runRound(fleet, plan, names);
      for (const [name, kind] of result.later) later.set(name, { kind, plan });
      const history = seedsOf(plans);
      if (result.faults.length > 0 || plans.length >= ROUNDS_OF_A_FLEET) await this.#end(topology);
      return { kind: 'ran', result, tookMs: performance.now() - startedMs, history };
    } catch (error) {
      const history = seedsOf(this.#stays.get(topology)?.plans ?? [plan]);
      await this.#end(topology);
      return { kind: 'broken', plan, error, history };
    }
  }

  /** What was found out since this was asked last, when fleets had ended: calls that ran after their round, processes that would not end. */
  takeEnds(): readonly FoundAtEnd[] {
    const ends = this.#atEnds;
    this.#atEnds = [];
    return ends;
  }

  /** The seeds of the rounds whose fleets have ended since this was asked last: nothing more can be found out of them. */
  takeThrough(): readonly number[] {
    const through = this.#through;
    this.#through = [];
    return through;
  }

  /** Ends every process. */
  async end(): Promise<void> {
    for (const topology of [...this.#stays.keys()]) await this.#end(topology);
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 3 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async #stay(topology: Topology): Promise<Stay> {
    const known = this.#stays.get(topology);
    if (known !== undefined) return known;
    const folder = join(this.#root, `${topology}-${this.#count}`);
    mkdirSync(folder);
    const stay: Stay = { fleet: await Fleet.start(topology, folder), plans: [], later: new Map() };
    this.#stays.set(topology, stay);
    return stay;
  }

  async #end(topology: Topology): Promise<void> {
    const stay = this.#stays.get(topology);
    if (stay === undefined) return;
    this.#stays.delete(topology);
    const { fleet, plans, later } = stay;
    const history = seedsOf(plans);
    const atStop = await fleet.stop();
    const last = plans.at(-1);
    for (const { fault, of } of lateExecutions(readLedger(fleet.ledger), later)) {
      const plan = of?.plan ?? last;
      // What made it run may be a round behind its own.
      if (plan !== undefined) this.#atEnds.push({ fault, plan, history });
    }
    for (const text of atStop) {
      const fault: Fault = { kind: 'left behind', call: null, text };
      if (last !== undefined) this.#atEnds.push({ fault, plan: last, history });
    }
    for (const { pid, text } of await fleet.strays()) {
      const fault: Fault = { kind: 'left behind', call: null, text: `${text}, when everything had ended` };
      if (last !== undefined) this.#atEnds.push({ fault, plan: last, history });
      endProcess(pid);
    }
    this.#through.push(...history);
    fleet.remove();
  }
}

function seedsOf(plans: readonly RoundPlan[]): History {
  return plans.map(({ seed }) => seed);
}

/** It has been told of; nobody else ends it. */
function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended just now.
  }
}

function lackOfDisk(root: string): string | null {
  const folder = join(root, 'probe');
  mkdirSync(folder);
  const mounted = SmallDisk.mount(folder);
  if ('reason' in mounted) return mounted.reason;
  mounted.disk[Symbol.dispose]();
  return null;
}
