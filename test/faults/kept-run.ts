import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Adversary } from './adversary.ts';
import { Figures, type FiguresRecord } from './figures.ts';
import type { FoundAtEnd, SeriesRound } from './series.ts';

const VERSION = 1;

/** What a run is of; another one is not the same run. */
export type RunTerms = {
  readonly seed: number;
  readonly rounds: number;
  readonly only: Adversary | undefined;
  /** Of all that the rounds depend on. */
  readonly sources: string;
};

/** So many rounds of a run, on one machine, from one start of the command to its end. */
export type Sitting = { readonly at: string; readonly machine: string; rounds: number };

type RunRecord = {
  readonly version: typeof VERSION;
  readonly terms: Omit<RunTerms, 'only'> & { readonly only: Adversary | null };
  /** Rounds from here on have not been begun. */
  readonly next: number;
  /** Rounds before that which are to be run again: they do not count yet. */
  readonly again: readonly number[];
  readonly sittings: readonly Sitting[];
  readonly figures: FiguresRecord;
};

/**
 * A run that may be interrupted and continued. A round counts when its fleet has ended, since something may be found only then; one that was
 * run, and whose fleet has not, is run again.
 */
export class KeptRun {
  readonly figures: Figures;
  readonly sittings: Sitting[];
  readonly #file: string;
  readonly #terms: RunTerms;
  readonly #sitting: Sitting;
  readonly #again: number[];
  readonly #begun = new Set<number>();
  readonly #pending = new Map<number, SeriesRound>();
  #next: number;

  private constructor(file: string, terms: RunTerms, sitting: Sitting, record: RunRecord | null) {
    this.#file = file;
    this.#terms = terms;
    this.#sitting = sitting;
    this.figures = record === null ? new Figures(terms.seed, terms.only) : Figures.of(record.figures);
    this.sittings = [...(record?.sittings ?? []), sitting];
    this.#again = [...(record?.again ?? [])];
    this.#next = record?.next ?? 0;
  }

  /**
   * Goes on with the run of a file, or begins one that will be kept there. `given`: what the command line says of it; a file that is of
   * something else, or none of these files, is refused with a sentence.
   */
  static open(
    file: string,
    given: Partial<RunTerms> & Pick<RunTerms, 'sources'>,
    fresh: Pick<RunTerms, 'seed' | 'rounds'>,
    { at, machine }: Pick<Sitting, 'at' | 'machine'>,
  ): KeptRun | { readonly refused: string } {
    const sitting = { at, machine, rounds: 0 };
    const text = textOf(file);
    if (text === null) return new KeptRun(file, { ...fresh, only: undefined, ...given }, sitting, null);
    if (typeof text !== 'string') return text;
    const record = recordOf(text);
    if (record === null) return { refused: `${file} is no run that can be continued; choose another file` };
    const terms: RunTerms = { ...record.terms, only: record.terms.only ?? undefined };
    if (terms.sources !== given.sources)
      return { refused: `${file} is of other sources: what it found says nothing of these; begin a new one` };
    const isOther = (['seed', 'rounds', 'only'] as const).find(
      (name) => given[name] !== undefined && given[name] !== terms[name],
    );
    if (isOther !== undefined)
      return {
        refused: `${file} has --${isOther} ${terms[isOther] ?? 'left out'}: leave it out, or choose another file`,
      };
    return new KeptRun(file, terms, sitting, record);
  }

  get terms(): RunTerms {
    return this.#terms;
  }

  /** True when every round counts. */
  get isWhole(): boolean {
    return this.#next >= this.#terms.rounds && this.#again.length === 0 && this.#begun.size === 0;
  }

  /** The seed of a round that is to be run now; undefined where there is none left. */
  take(): number | undefined {
    const seed = this.#again.shift() ?? this.#fresh();
    if (seed !== undefined) this.#begun.add(seed);
    return seed;
  }

  /** A round has been run; it counts when its fleet has ended. */
  ran(seed: number, round: SeriesRound): void {
    if (round.kind === 'not run') this.#count(seed, round);
    else this.#pending.set(seed, round);
  }

  /** Fleets have ended: with what was found then, and with the seeds of all rounds that they had been through. */
  ended(seeds: readonly number[], ends: readonly FoundAtEnd[]): void {
    for (const seed of seeds) {
      const round = this.#pending.get(seed);
      if (round !== undefined) this.#count(seed, round);
    }
    this.figures.end(ends);
    // Whoever ran the rounds has said it already.
    this.figures.newLines();
  }

  /** Writes how far it is. What does not count yet is to be run again by whoever goes on from here. */
  keep(): void {
    const { only = null, ...terms } = this.#terms;
    const record: RunRecord = {
      version: VERSION,
      terms: { ...terms, only },
      next: this.#next,
      again: [...this.#begun, ...this.#again],
      sittings: this.sittings,
      figures: this.figures.toJSON(),
    };
    const draft = `${this.#file}.new`;
    writeFileSync(draft, `${JSON.stringify(record, null, 1)}\n`);
    renameSync(draft, this.#file);
  }

  #count(seed: number, round: SeriesRound): void {
    this.#pending.delete(seed);
    this.#begun.delete(seed);
    this.figures.add(round);
    if (round.kind !== 'not run') this.#sitting.rounds += 1;
  }

  #fresh(): number | undefined {
    if (this.#next >= this.#terms.rounds) return undefined;
    const seed = (this.#terms.seed + this.#next) % 2 ** 32;
    this.#next += 1;
    return seed;
  }
}

/** Null where there is no such file. */
function textOf(file: string): string | null | { readonly refused: string } {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isFaultOf(error, 'ENOENT')) return null;
    return { refused: `${file} cannot be read: ${String(error)}` };
  }
}

function isFaultOf(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function recordOf(text: string): RunRecord | null {
  try {
    const record = JSON.parse(text) as Partial<RunRecord> | null;
    return record?.version === VERSION && record.terms !== undefined && record.figures !== undefined
      ? (record as RunRecord)
      : null;
  } catch {
    return null;
  }
}
