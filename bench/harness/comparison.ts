import {
  type Baseline,
  type BaselineRow,
  type Measured,
  ratioOf,
  ratiosOf,
  ratioText,
  sameMachine,
} from './baseline.ts';

/**
 * By how much an interval must lie above the baseline's, as a share of it: what two runs of the same code differ by, over
 * hours and restarts, beyond what the rounds of one run show. Another machine has another processor and another disk.
 */
const TOLERANCE = { sameMachine: 0.25, otherMachine: 0.5 } as const;

/**
 * What became of one ratio. `slower`: its interval lies above the baseline's by more than the tolerance. `faster`: the other way
 * round. `unclear`: the ratio lies above it by more than the tolerance, and the intervals are too wide to tell. `unsteady`: slower or
 * unclear at first, and neither when it was measured again. `missing`: its bench ran without it. `skipped`: it could
 * not be measured, for a reason that was said.
 */
export type Verdict =
  | { readonly kind: Change; readonly was: BaselineRow; readonly is: BaselineRow }
  | {
      readonly kind: 'unsteady';
      readonly was: BaselineRow;
      readonly is: BaselineRow;
      readonly again: BaselineRow;
    }
  | { readonly kind: 'new'; readonly is: BaselineRow }
  | { readonly kind: 'missing'; readonly was: BaselineRow }
  | { readonly kind: 'skipped'; readonly was: BaselineRow; readonly reason: string };

type Change = 'same' | 'slower' | 'unclear' | 'faster';

export type Comparison = {
  readonly startedAt: string;
  readonly isSameMachine: boolean;
  readonly tolerance: number;
  readonly verdicts: readonly Verdict[];
  /** Rows that are no ratios: times and sizes of two runs say little. Whether they hold is said by their goals. */
  readonly uncompared: readonly Uncompared[];
  /** Nothing is slower, and nothing is missing. */
  readonly holds: boolean;
};

/** `hasGoal`: a goal holds it, in every run. Otherwise it is only told. */
type Uncompared = { readonly bench: string; readonly name: string; readonly hasGoal: boolean };

/** Holds the ratios of a run against those of the baseline. Only benches that ran and did not fail are looked at. */
export function compareWithBaseline(report: Measured, baseline: Baseline): Comparison {
  const isSameMachine = sameMachine(report.machine, baseline.machine);
  const tolerance = isSameMachine ? TOLERANCE.sameMachine : TOLERANCE.otherMachine;
  const failed = report.failures.map(({ bench }) => bench);
  const ran = report.benches.filter((bench) => !failed.includes(bench));
  const found = ratiosOf(report);
  const verdicts: Verdict[] = baseline.rows
    .filter(({ bench }) => ran.includes(bench))
    .map((was) => {
      const is = found.find(({ bench, name }) => bench === was.bench && name === was.name);
      if (is !== undefined) return { kind: changeOf(was, is, tolerance), was, is };
      const skip = report.skipped.find(({ bench, name }) => bench === was.bench && name === was.name);
      if (skip !== undefined) return { kind: 'skipped', was, reason: skip.reason };
      return { kind: 'missing', was };
    });
  const isKnown = (is: BaselineRow) =>
    baseline.rows.some(({ bench, name }) => bench === is.bench && name === is.name);
  for (const is of found.filter((row) => !isKnown(row))) verdicts.push({ kind: 'new', is });
  const { startedAt } = baseline;
  const uncompared = report.rows
    .filter((row) => ratioOf(row) === null)
    .map(({ bench, name, goal }) => ({ bench, name, hasGoal: goal !== null }));
  return { startedAt, isSameMachine, tolerance, verdicts, uncompared, holds: holdsOf(verdicts) };
}

function holdsOf(verdicts: readonly Verdict[]): boolean {
  return verdicts.every(({ kind }) => kind !== 'slower' && kind !== 'missing');
}

/** What a run was held against, and how many ratios stayed; then a line for each that did not, but for what was not measured. */
export function comparisonTexts({ startedAt, isSameMachine, tolerance, verdicts, uncompared }: Comparison): {
  readonly head: string;
  readonly changed: readonly string[];
  readonly apart: string | null;
} {
  const of = isSameMachine ? 'this machine' : 'another machine';
  const percent = Math.round(tolerance * 100);
  const same = verdicts.filter(({ kind }) => kind === 'same').length;
  const held = uncompared.filter(({ hasGoal }) => hasGoal).length;
  return {
    head:
      `against the baseline of ${startedAt.slice(0, 10)} (${of}; ${percent} % beyond the spread of both): ` +
      `${same} of ${verdicts.length} ratios the same`,
    changed: verdicts
      .filter(({ kind }) => kind !== 'skipped')
      .map(verdictText)
      .filter((text) => text !== null),
    apart:
      uncompared.length === 0
        ? null
        : `not compared, because they are no ratios: ${uncompared.length} rows (${held} held by their goals, ` +
          `${uncompared.length - held} told)`,
  };
}

/** The benches with a ratio that is slower, or may be: what is measured again before it counts. */
export function doubtfulBenches({ verdicts }: Comparison): readonly string[] {
  return [...new Set(verdicts.flatMap((verdict) => (isDoubtful(verdict) ? [verdict.was.bench] : [])))];
}

/**
 * A ratio is slower where it lies above the baseline's in both runs and its whole interval does in one of them. Where it was above it in the
 * first run alone it is unsteady: the machine did something else.
 */
export function confirmed(first: Comparison, second: Comparison): Comparison {
  const verdicts = first.verdicts.map((verdict): Verdict => {
    if (!isDoubtful(verdict)) return verdict;
    const { was, is } = verdict;
    const again = second.verdicts.find(
      (other) => isChange(other) && other.was.bench === was.bench && other.was.name === was.name,
    );
    // It could not be measured again.
    if (again === undefined || !isChange(again)) return verdict;
    if (!isDoubtful(again)) return { kind: 'unsteady', was, is, again: again.is };
    return again.kind === 'slower' ? { kind: 'slower', was, is } : verdict;
  });
  return { ...first, verdicts, holds: holdsOf(verdicts) };
}

type Changed = Extract<Verdict, { readonly kind: Change }>;

function isChange(verdict: Verdict): verdict is Changed {
  return ['same', 'slower', 'unclear', 'faster'].includes(verdict.kind);
}

function isDoubtful(verdict: Verdict): verdict is Changed & { readonly kind: 'slower' | 'unclear' } {
  return verdict.kind === 'slower' || verdict.kind === 'unclear';
}

/** One line for what is worth saying; null for what stayed. */
export function verdictText(verdict: Verdict): string | null {
  const row = 'is' in verdict ? verdict.is : verdict.was;
  const where = `${row.bench}: ${row.name}`;
  switch (verdict.kind) {
    case 'same':
      return null;
    case 'slower':
    case 'faster':
      return `${verdict.kind} than the baseline: ${where}: ${ratioText(verdict.is)}, was ${ratioText(verdict.was)}`;
    case 'unclear':
      return `slower than the baseline, or too unsteady to tell: ${where}: ${ratioText(verdict.is)}, was ${ratioText(verdict.was)}`;
    case 'unsteady':
      return `slower at first, and not again: ${where}: ${ratioText(verdict.is)}, then ${ratioText(verdict.again)}`;
    case 'new':
      return `not in the baseline: ${where}: ${ratioText(verdict.is)}`;
    case 'missing':
      return `in the baseline and not measured: ${where}`;
    case 'skipped':
      return `not compared: ${where}: ${verdict.reason}`;
  }
}

function changeOf(was: BaselineRow, is: BaselineRow, tolerance: number): Change {
  if (is.low > was.high * (1 + tolerance)) return 'slower';
  if (is.high < was.low / (1 + tolerance)) return 'faster';
  return is.ratio > was.ratio * (1 + tolerance) ? 'unclear' : 'same';
}
