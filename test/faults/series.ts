import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Adversary } from './adversary.ts';
import { Fleet } from './fleet.ts';
import type { Fault } from './judge.ts';
import { readLedger } from './ledger.ts';
import { planRound, type RoundPlan, type Topology } from './plan.ts';
import { type RoundResult, runRound } from './round.ts';
import { SmallDisk } from './small-disk.ts';

/** A round of a series: what came of it, or why it could not be run here. */
export type SeriesRound =
  | { readonly kind: 'ran'; readonly result: RoundResult; readonly tookMs: number }
  | { readonly kind: 'not run'; readonly plan: RoundPlan; readonly reason: string };

/** Then a fresh one takes its place: a small disk fills by itself, and a fresh start is worth looking at, too. */
const ROUNDS_OF_A_FLEET = 40;

/** Rounds one after another, on fleets that stay as long as they work. */
export class Series implements AsyncDisposable {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'f-')));
  readonly #fleets = new Map<Topology, Fleet>();
  readonly #lacking = new Map<Adversary, string>();
  /** What each call would be a case of that is found in the ledger after its round. */
  readonly #later = new Map<Topology, Map<string, 'false not_started' | 'double execution' | null>>();
  readonly #rounds = new Map<Topology, number>();
  /** Found when a fleet had ended. */
  readonly #atEnds: Fault[] = [];
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

  /** Runs the round of a seed. Rejects where no fleet could be brought to work. */
  async run(seed: number, only?: Adversary): Promise<SeriesRound> {
    const plan = planRound(seed, only);
    const reason = this.#lacking.get(plan.adversary);
    if (reason !== undefined) return { kind: 'not run', plan, reason };
    this.#count += 1;
    const startedMs = performance.now();
    try {
      const fleet = await this.#fleet(plan.topology);
      const result = await runRound(fleet, plan, `r${this.#count}`);
      const later = this.#later.get(plan.topology) ?? new Map();
      for (const [name, kind] of result.later) later.set(name, kind);
      this.#later.set(plan.topology, later);
      return { kind: 'ran', result, tookMs: performance.now() - startedMs };
    } catch (error) {
      // A fleet that could not be brought back is of no use to the next round.
      await this.#end(plan.topology);
      throw error;
    }
  }

  /** Ends every process; answers what was found out only then: calls that ran after their round, processes that would not end. */
  async end(): Promise<readonly Fault[]> {
    for (const topology of [...this.#fleets.keys()]) await this.#end(topology);
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 3 });
    return this.#atEnds;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async #fleet(topology: Topology): Promise<Fleet> {
    const rounds = this.#rounds.get(topology) ?? 0;
    if (rounds >= ROUNDS_OF_A_FLEET) await this.#end(topology);
    this.#rounds.set(topology, (this.#rounds.get(topology) ?? 0) + 1);
    const known = this.#fleets.get(topology);
    if (known !== undefined) return known;
    const folder = join(this.#root, `${topology}-${this.#count}`);
    mkdirSync(folder);
    const fleet = await Fleet.start(topology, folder);
    this.#fleets.set(topology, fleet);
    return fleet;
  }

  async #end(topology: Topology): Promise<void> {
    const fleet = this.#fleets.get(topology);
    if (fleet === undefined) return;
    this.#fleets.delete(topology);
    this.#rounds.delete(topology);
    const later = this.#later.get(topology);
    this.#later.delete(topology);
    await fleet.stop();
    for (const name of readLedger(fleet.ledger).keys()) {
      const kind = later?.get(name) ?? null;
      if (kind !== null) this.#atEnds.push({ kind, call: null, text: `${name} ran after its round` });
    }
    for (const text of await fleet.strays())
      this.#atEnds.push({ kind: 'left behind', call: null, text: `${text}, when everything had ended` });
    fleet.remove();
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
