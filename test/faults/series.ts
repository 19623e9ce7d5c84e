import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Adversary } from './adversary.ts';
import { Fleet } from './fleet.ts';
import { readLedger } from './ledger.ts';
import { planRound, type RoundPlan, type Topology } from './plan.ts';
import { type RoundResult, runRound } from './round.ts';
import { SmallDisk } from './small-disk.ts';

/** A round of a series: what came of it, or why it could not be run here. */
export type SeriesRound =
  | { readonly kind: 'ran'; readonly result: RoundResult; readonly tookMs: number }
  | { readonly kind: 'not run'; readonly plan: RoundPlan; readonly reason: string };

/** Rounds one after another, on fleets that stay as long as they work. */
export class Series implements AsyncDisposable {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'f-')));
  readonly #fleets = new Map<Topology, Fleet>();
  readonly #lacking = new Map<Adversary, string>();
  /** Calls that must not run later either, by topology. */
  readonly #neverRan = new Map<Topology, Set<string>>();
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
      const never = this.#neverRan.get(plan.topology) ?? new Set();
      for (const name of result.neverRan) never.add(name);
      this.#neverRan.set(plan.topology, never);
      return { kind: 'ran', result, tookMs: performance.now() - startedMs };
    } catch (error) {
      // A fleet that could not be brought back is of no use to the next round.
      await this.#fleets.get(plan.topology)?.[Symbol.asyncDispose]();
      this.#fleets.delete(plan.topology);
      throw error;
    }
  }

  /** Calls that were told never to have run and stand in the ledger now. To be asked before the end. */
  ranLater(): readonly string[] {
    const found: string[] = [];
    for (const [topology, fleet] of this.#fleets) {
      const executions = readLedger(fleet.ledger);
      for (const name of this.#neverRan.get(topology) ?? []) if (executions.has(name)) found.push(name);
    }
    return found;
  }

  /** Ends every process; answers which would not end. */
  async end(): Promise<readonly string[]> {
    const left: string[] = [];
    for (const fleet of this.#fleets.values()) left.push(...(await fleet.end()));
    this.#fleets.clear();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 3 });
    return left;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async #fleet(topology: Topology): Promise<Fleet> {
    const known = this.#fleets.get(topology);
    if (known !== undefined) return known;
    const folder = join(this.#root, `${topology}-${this.#count}`);
    mkdirSync(folder);
    const fleet = await Fleet.start(topology, folder);
    this.#fleets.set(topology, fleet);
    return fleet;
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
