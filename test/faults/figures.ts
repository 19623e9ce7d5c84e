import { cpus } from 'node:os';
import type { Certainty } from '@fairlead/base';
import { type Adversary, adversaryNames } from './adversary.ts';
import type { FaultKind } from './judge.ts';
import { pathNames, type RoundPlan } from './plan.ts';
import type { RoundResult } from './round.ts';
import type { FoundAtEnd, History, SeriesRound } from './series.ts';
import { isStruck } from './strike.ts';

/** Unknown outcomes whose Runner lived on must settle by themselves in so many cases of a hundred. */
const SETTLED_SHARE = 0.95;
/** A share of fewer says nothing: then one may be left. */
const SHARE_FROM = 20;
/** Of so many calls on one path at least one runs, whoever attacks. */
const RUNS_FROM = 20;
/** So many attacks of a kind cannot all have missed. */
const ATTACKS_FROM = 20;
/** Calls that never settled, of which the rounds are named. */
const OPEN_NAMED = 10;
const FAULT_KINDS: readonly FaultKind[] = [
  'false not_started',
  'false completed',
  'double execution',
  'lost record',
  'contradiction',
  'no answer',
  'left behind',
];

export type AdversaryFigures = {
  rounds: number;
  /** Rounds in which everything that the adversary was to do fell. */
  struck: number;
  calls: number;
  readonly by: Record<Certainty, number>;
  /** Unknown outcomes that became certain by themselves. */
  settled: number;
  faults: number;
  tookMs: number;
  notRun: string | null;
};

/** What can be found: a lie, that a fleet could not be brought back, or that too much of what all rounds did came to nothing. */
export type FoundKind = FaultKind | 'not restored' | 'not settled' | 'never ran' | 'never fell';

/** So many calls, and so many of them that ran. */
type PathFigures = { calls: number; ran: number };

/** Where something was found first: in the how-manieth round, by whom, as what; one round may find several things. */
export type FirstFound = {
  readonly round: number;
  readonly adversary: Adversary;
  readonly kinds: readonly FoundKind[];
};

/** What rounds run on here, in words. */
export function machine(): string {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model.trim() ?? 'an unknown processor'}, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
}

/** What `Figures` comes to in JSON. */
export type FiguresRecord = ReturnType<Figures['toJSON']>;

/** Adds up a series of rounds. */
export class Figures {
  readonly seed: number;
  readonly only: Adversary | undefined;
  readonly at: Date;
  readonly byAdversary = new Map<Adversary, AdversaryFigures>();
  /** By path, and those of pinned tools by themselves. */
  readonly byPath = new Map<string, PathFigures>(pathNames.map((name) => [name, { calls: 0, ran: 0 }]));
  readonly byFault = new Map<FaultKind, number>(FAULT_KINDS.map((kind) => [kind, 0]));
  /**
   * Calls that were told as unknown in rounds whose Runner process lived on. `unknown`: those of the journal of which the Runner did not say
   * that its plugin gave it no answer; `settled` of these became known by themselves. `beyond`: it did say so.
   */
  readonly lived = { unknown: 0, settled: 0, beyond: 0 };
  /** Blows by the name of their kind. */
  readonly byStrike = new Map<string, { planned: number; fell: number }>();
  /** Calls that were told as unknown and stand in no journal. */
  unrecorded = 0;
  rounds = 0;
  /** Rounds after which the fleet could not be brought back. */
  unrestored = 0;
  #first: FirstFound | null = null;
  /** Who attacked last: the sums of all rounds are nobody's alone. */
  #last: Adversary = 'none';
  #lines: string[] = [];
  readonly #open: string[] = [];

  constructor(seed: number, only: Adversary | undefined, at = new Date()) {
    this.seed = seed;
    this.only = only;
    this.at = at;
    for (const name of adversaryNames)
      this.byAdversary.set(name, {
        rounds: 0,
        struck: 0,
        calls: 0,
        by: { not_started: 0, completed: 0, outcome_unknown: 0 },
        settled: 0,
        faults: 0,
        tookMs: 0,
        notRun: null,
      });
  }

  /** What a series came to before it was interrupted, to go on from; of another version of this class it is nothing to go on from. */
  static of(record: FiguresRecord): Figures {
    const { seed, only, at, first, last, open } = record;
    const figures = new Figures(seed, only ?? undefined, new Date(at));
    for (const [name, sums] of record.byAdversary) figures.byAdversary.set(name, sums);
    for (const [name, sums] of record.byPath) figures.byPath.set(name, sums);
    for (const [kind, count] of record.byFault) figures.byFault.set(kind, count);
    for (const [what, count] of record.byStrike) figures.byStrike.set(what, count);
    Object.assign(figures.lived, record.lived);
    figures.unrecorded = record.unrecorded;
    figures.rounds = record.rounds;
    figures.unrestored = record.unrestored;
    figures.#first = first;
    figures.#last = last;
    figures.#open.push(...open);
    return figures;
  }

  /** All sums, as JSON has them. */
  toJSON() {
    return {
      seed: this.seed,
      only: this.only ?? null,
      at: this.at.toISOString(),
      byAdversary: [...this.byAdversary],
      byPath: [...this.byPath],
      byFault: [...this.byFault],
      byStrike: [...this.byStrike],
      lived: this.lived,
      unrecorded: this.unrecorded,
      rounds: this.rounds,
      unrestored: this.unrestored,
      first: this.#first,
      last: this.#last,
      open: this.#open,
    };
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
    return this.first === null;
  }

  /** The first round that found something; where none did and the sums of all are wrong, the last one. */
  get first(): FirstFound | null {
    if (this.#first !== null) return this.#first;
    const kinds: FoundKind[] = [];
    if (!this.settlesEnough) kinds.push('not settled');
    if (this.idlePaths.length > 0) kinds.push('never ran');
    if (this.neverFell.length > 0) kinds.push('never fell');
    return kinds.length === 0 ? null : { round: this.rounds, adversary: this.#last, kinds };
  }

  /** Paths on which there were calls enough, and none that ran. */
  get idlePaths(): readonly string[] {
    return [...this.byPath].flatMap(([name, { calls, ran }]) =>
      calls >= RUNS_FROM && ran === 0 ? [name] : [],
    );
  }

  /** How many calls took each path, and how many of them ran. */
  get pathsText(): string {
    return [...this.byPath].map(([name, { calls, ran }]) => `${name} ${calls} (${ran} ran)`).join(', ');
  }

  /** At least 95 of a hundred settled by themselves; of fewer than twenty all but one. */
  get settlesEnough(): boolean {
    const { unknown, settled } = this.lived;
    return unknown < SHARE_FROM ? unknown - settled <= 1 : this.settledShare >= SETTLED_SHARE;
  }

  /** Attacks that were planned twenty times or more and never fell: by adversary, and by what it was to do. */
  get neverFell(): readonly string[] {
    const adversaries = [...this.byAdversary].flatMap(([name, { rounds, struck }]) =>
      name !== 'none' && rounds >= ATTACKS_FROM && struck === 0 ? [`${name} in ${rounds} rounds`] : [],
    );
    const strikes = [...this.byStrike].flatMap(([what, { planned, fell }]) =>
      planned >= ATTACKS_FROM && fell === 0 ? [`${what}, planned ${planned} times`] : [],
    );
    return [...adversaries, ...strikes];
  }

  /** What could not be run here, with the reason. */
  get notRun(): readonly string[] {
    return [...this.byAdversary].flatMap(([name, { notRun }]) =>
      notRun === null ? [] : [`${name}: ${notRun}`],
    );
  }

  total(of: (figures: AdversaryFigures) => number): number {
    return [...this.byAdversary.values()].reduce((sum, figures) => sum + of(figures), 0);
  }

  add(round: SeriesRound): void {
    if (round.kind === 'not run') {
      this.#of(round.plan).notRun = round.reason;
      return;
    }
    this.rounds += 1;
    this.#last = (round.kind === 'broken' ? round.plan : round.result.plan).adversary;
    if (round.kind === 'broken') {
      const { plan, error, history } = round;
      this.unrestored += 1;
      this.#found(plan, ['not restored']);
      this.#lines.push(`FAULT not restored: ${String(error)}`, ...this.#again(plan, history));
      return;
    }
    const figures = this.#of(round.result.plan);
    figures.rounds += 1;
    figures.tookMs += round.tookMs;
    this.#addCalls(figures, round.result);
    this.#addStrikes(figures, round.result);
    this.#addFaults(figures, round.result, round.history);
  }

  /** What was found when a fleet had ended. */
  end(ends: readonly FoundAtEnd[]): void {
    for (const { fault, plan, history } of ends) {
      const { kind, text } = fault;
      this.#count(kind);
      this.#of(plan).faults += 1;
      this.#found(plan, [kind]);
      this.#lines.push(`FAULT ${kind}: ${text}`, ...this.#again(plan, history));
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
      ...(this.settlesEnough ? [] : this.#open),
      `calls by path: ${this.pathsText}`,
      ...this.idlePaths.map((name) => `no call ran by the path ${name}`),
      FAULT_KINDS.map((kind) => `${kind} ${this.byFault.get(kind)}`).join(', '),
      `struck as planned: ${[...this.byAdversary]
        .filter(([name, { rounds }]) => name !== 'none' && rounds > 0)
        .map(([name, { rounds, struck }]) => `${name} ${struck} of ${rounds}`)
        .join(', ')}`,
      ...this.neverFell.map((what) => `never fell: ${what}`),
      ...(this.unrestored > 0 ? [`rounds that could not be restored: ${this.unrestored}`] : []),
      ...this.notRun.map((what) => `not run: ${what}`),
    ];
  }

  #addCalls(figures: AdversaryFigures, { calls, plan }: RoundResult): void {
    for (const [call, { certainty, path, way, end, ran, runnerLivedOn }] of calls.entries()) {
      figures.calls += 1;
      figures.by[certainty] += 1;
      const name = way === 'pin' ? `${path} by pin` : path;
      const onPath = this.byPath.get(name) ?? { calls: 0, ran: 0 };
      this.byPath.set(name, onPath);
      onPath.calls += 1;
      if (ran) onPath.ran += 1;
      if (certainty !== 'outcome_unknown') continue;
      if (end === 'settled') figures.settled += 1;
      if (end === 'not recorded') this.unrecorded += 1;
      if (!runnerLivedOn || end === 'not recorded') continue;
      if (end === 'beyond its Runner') {
        this.lived.beyond += 1;
        continue;
      }
      this.lived.unknown += 1;
      if (end === 'settled') this.lived.settled += 1;
      else if (this.#open.length < OPEN_NAMED)
        this.#open.push(`never settled: call ${call} of ${plan.adversary}; again: ${this.#command(plan)}`);
    }
  }

  #addStrikes(figures: AdversaryFigures, { strikes }: RoundResult): void {
    if (isStruck(strikes)) figures.struck += 1;
    for (const { what, fell } of strikes) {
      const count = this.byStrike.get(what) ?? { planned: 0, fell: 0 };
      this.byStrike.set(what, { planned: count.planned + 1, fell: count.fell + (fell ? 1 : 0) });
    }
  }

  #addFaults(
    figures: AdversaryFigures,
    { faults, plan, trace }: RoundResult,
    history: readonly number[],
  ): void {
    if (faults.length === 0) return;
    figures.faults += faults.length;
    this.#found(plan, [...new Set(faults.map(({ kind }) => kind))]);
    for (const { kind, call, text } of faults) {
      this.#count(kind);
      this.#lines.push(`FAULT ${kind}${call === null ? '' : ` (call ${call})`}: ${text}`);
    }
    this.#lines.push(...this.#again(plan, history), `  ${trace.join(' · ')}`);
  }

  #of({ adversary }: RoundPlan): AdversaryFigures {
    return this.byAdversary.get(adversary) as AdversaryFigures;
  }

  #found({ adversary }: RoundPlan, kinds: readonly FoundKind[]): void {
    this.#first ??= { round: this.rounds, adversary, kinds };
  }

  #count(kind: FaultKind): void {
    this.byFault.set(kind, (this.byFault.get(kind) ?? 0) + 1);
  }

  /** The round alone, and all that its fleet had been through with it. */
  #again(plan: RoundPlan, history: History): readonly string[] {
    const { adversary, topology } = plan;
    const alone = `  ${adversary}, ${topology}; again: ${this.#command(plan)}`;
    if (history.length < 2) return [alone];
    return [
      alone,
      `  with what its fleet had been through: npm run faults -- --seeds ${history}${this.#only}`,
    ];
  }

  #command({ seed }: RoundPlan): string {
    return `npm run faults -- --seed ${seed} --rounds 1${this.#only}`;
  }

  get #only(): string {
    return this.only === undefined ? '' : ` --only ${this.only}`;
  }
}
