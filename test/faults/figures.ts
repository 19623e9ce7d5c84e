import { cpus } from 'node:os';
import type { Certainty } from '@fairlead/base';
import { type Adversary, adversaryNames } from './adversary.ts';
import type { Fault, FaultKind } from './judge.ts';
import { type PathName, pathNames, type RoundPlan } from './plan.ts';
import type { RoundResult } from './round.ts';
import type { SeriesRound } from './series.ts';

/** Unknown outcomes whose Runner lived on must settle by themselves in so many cases of a hundred. */
const SETTLED_SHARE = 0.95;
const FAULT_KINDS: readonly FaultKind[] = [
  'false not_started',
  'false completed',
  'double execution',
  'lost record',
  'contradiction',
  'left behind',
];

export type AdversaryFigures = {
  rounds: number;
  calls: number;
  readonly by: Record<Certainty, number>;
  /** Unknown outcomes that became certain by themselves. */
  settled: number;
  faults: number;
  tookMs: number;
  notRun: string | null;
};

/** Where something was found first: in the how-manieth round, by whom, as what. */
export type FirstFound = { readonly round: number; readonly adversary: Adversary; readonly kind: FaultKind };

/** Adds up a series of rounds. */
export class Figures {
  readonly seed: number;
  readonly only: Adversary | undefined;
  readonly at = new Date();
  readonly byAdversary = new Map<Adversary, AdversaryFigures>();
  readonly byPath = new Map<PathName, number>(pathNames.map((name) => [name, 0]));
  readonly byFault = new Map<FaultKind, number>(FAULT_KINDS.map((kind) => [kind, 0]));
  /** Unknown outcomes whose Runner lived on and could know, and how many of them settled. */
  readonly lived = { unknown: 0, settled: 0 };
  rounds = 0;
  /** Rounds after which the fleet could not be brought back. */
  unrestored = 0;
  /** The first round that found something. */
  first: FirstFound | null = null;
  #lines: string[] = [];

  constructor(seed: number, only: Adversary | undefined) {
    this.seed = seed;
    this.only = only;
    for (const name of adversaryNames)
      this.byAdversary.set(name, {
        rounds: 0,
        calls: 0,
        by: { not_started: 0, completed: 0, outcome_unknown: 0 },
        settled: 0,
        faults: 0,
        tookMs: 0,
        notRun: null,
      });
  }

  get machine(): string {
    const [first] = cpus();
    return `${cpus().length} × ${first?.model.trim() ?? 'an unknown processor'}, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
  }

  get faults(): number {
    return [...this.byFault.values()].reduce((sum, count) => sum + count, 0);
  }

  get settledShare(): number {
    return this.lived.unknown === 0 ? 1 : this.lived.settled / this.lived.unknown;
  }

  /** In per cent; of none there is no share. */
  get settledText(): string {
    return this.lived.unknown === 0 ? 'none' : `${(this.settledShare * 100).toFixed(1)} %`;
  }

  get isClean(): boolean {
    return this.faults === 0 && this.unrestored === 0 && this.settledShare >= SETTLED_SHARE;
  }

  total(of: (figures: AdversaryFigures) => number): number {
    return [...this.byAdversary.values()].reduce((sum, figures) => sum + of(figures), 0);
  }

  add(round: SeriesRound): void {
    const { adversary } = round.kind === 'ran' ? round.result.plan : round.plan;
    const figures = this.byAdversary.get(adversary) as AdversaryFigures;
    if (round.kind === 'not run') {
      figures.notRun = round.reason;
      return;
    }
    this.rounds += 1;
    figures.rounds += 1;
    figures.tookMs += round.tookMs;
    this.#addCalls(figures, round.result);
    this.#addFaults(figures, round.result);
  }

  /** A round after which nothing worked any more. */
  broken(plan: RoundPlan, error: unknown): void {
    this.rounds += 1;
    this.unrestored += 1;
    this.#lines.push(`FAULT not restored: ${String(error)}`, `  ${this.#again(plan)}`);
  }

  /** What was found when everything had ended. */
  end(faults: readonly Fault[]): void {
    for (const { kind, text } of faults) {
      this.#count(kind);
      this.#lines.push(`FAULT ${kind}: ${text}`);
    }
  }

  /** What was found since this was asked last. */
  newLines(): readonly string[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  summary(): readonly string[] {
    const certainties = (['completed', 'not_started', 'outcome_unknown'] as const).map(
      (certainty) => `${certainty} ${this.total(({ by }) => by[certainty])}`,
    );
    return [
      `seed ${this.seed}, ${this.rounds} rounds, ${this.total(({ calls }) => calls)} calls: ${certainties.join(', ')}`,
      `unknown where the Runner lived on: ${this.lived.unknown}, settled by themselves: ${this.lived.settled} (${this.settledText})`,
      FAULT_KINDS.map((kind) => `${kind} ${this.byFault.get(kind)}`).join(', '),
      ...(this.unrestored > 0 ? [`rounds that could not be restored: ${this.unrestored}`] : []),
      ...[...this.byAdversary].flatMap(([name, { notRun }]) =>
        notRun === null ? [] : [`not run: ${name}: ${notRun}`],
      ),
    ];
  }

  #addCalls(figures: AdversaryFigures, { calls }: RoundResult): void {
    for (const { certainty, path, end, runnerLivedOn } of calls) {
      figures.calls += 1;
      figures.by[certainty] += 1;
      this.byPath.set(path, (this.byPath.get(path) ?? 0) + 1);
      if (certainty !== 'outcome_unknown') continue;
      if (end === 'settled') figures.settled += 1;
      if (!runnerLivedOn || end === 'not recorded') continue;
      this.lived.unknown += 1;
      if (end === 'settled') this.lived.settled += 1;
    }
  }

  #addFaults(figures: AdversaryFigures, { faults, plan, trace }: RoundResult): void {
    if (faults.length === 0) return;
    figures.faults += faults.length;
    const [fault] = faults;
    if (fault !== undefined)
      this.first ??= { round: this.rounds, adversary: plan.adversary, kind: fault.kind };
    for (const { kind, call, text } of faults) {
      this.#count(kind);
      this.#lines.push(`FAULT ${kind}${call === null ? '' : ` (call ${call})`}: ${text}`);
    }
    this.#lines.push(`  ${plan.adversary}, ${plan.topology}; ${this.#again(plan)}`);
    this.#lines.push(`  ${trace.join(' · ')}`);
  }

  #count(kind: FaultKind): void {
    this.byFault.set(kind, (this.byFault.get(kind) ?? 0) + 1);
  }

  #again({ seed }: RoundPlan): string {
    const only = this.only === undefined ? '' : ` --only ${this.only}`;
    return `again: npm run faults -- --seed ${seed} --rounds 1${only}`;
  }
}
