import { basename, join } from 'node:path';
import type { Json } from '@fairlead/base';
import { keptLimits } from '../limits.ts';
import type { ClauseReport, ConformanceReport } from './conformance-report.ts';
import type { Evidence, Finding } from './findings.ts';

/** How a report is written down. */
export type ReportOptions = {
  /** The folder where its reader finds the pages of clauses. Default: where they stand in the repository. */
  readonly pages?: string;
};

/** How many clauses have each verdict. */
function countsOf({ clauses }: ConformanceReport): Readonly<Record<Finding['verdict'], number>> {
  const counts = { passed: 0, failed: 0, advice: 0, skipped: 0 };
  for (const { verdict } of clauses) counts[verdict] += 1;
  return counts;
}

/**
 * A report for people: one line a clause, what failed last, above the counts, with what was expected, what was seen and where
 * it is written. Clauses that were left out for one reason are one line where they are many.
 */
export function reportText(report: ConformanceReport, options: ReportOptions = {}): string {
  const width = Math.max(...report.clauses.map(({ id }) => id.length));
  const linesOf = (wanted: Finding['verdict']) =>
    report.clauses
      .filter(({ verdict }) => verdict === wanted)
      .flatMap((clause) => clauseLines(clause, width, options));
  const { passed, failed, advice, skipped } = countsOf(report);
  return [
    ...linesOf('passed'),
    ...skippedLines(report, width, options),
    ...linesOf('advice'),
    ...linesOf('failed'),
    '',
    ...toolLines(report),
    `${passed} passed, ${failed} failed, ${advice} advice, ${skipped} skipped`,
    '',
  ].join('\n');
}

function skippedLines({ clauses }: ConformanceReport, width: number, options: ReportOptions): string[] {
  const skipped = clauses.filter(({ verdict }) => verdict === 'skipped');
  return alikeIn(skipped, ({ reason }) => reason).flatMap((those) =>
    those.length > keptLimits.shownSkipped
      ? [`${those.length} skipped: ${those[0]?.reason}`]
      : those.flatMap((clause) => clauseLines(clause, width, options)),
  );
}

function clauseLines(clause: ClauseReport, width: number, options: ReportOptions): string[] {
  const { id, verdict, level, says, heading, reason, faults = [], faultCount = 0 } = clause;
  const head = `${verdict.padEnd(8)}${id.padEnd(width)}  ${level} ${says}`;
  if (verdict === 'skipped') return [head, `        skipped: ${reason}`];
  if (faults.length === 0) return [head];
  const more = faultCount - faults.length;
  const alike = alikeIn(faults, ({ expected, seen }) => JSON.stringify([expected, seen]));
  return [
    head,
    ...alike.flatMap(faultLines),
    ...(more > 0 ? [`        … and ${more} more`] : []),
    `        written:  ${pageOf(clause, options)}, ${heading}`,
  ];
}

/** Where the reader opens it. */
function pageOf({ page }: ClauseReport, { pages }: ReportOptions): string {
  return pages === undefined ? page : join(pages, basename(page));
}

/** In groups, the first of each in its place. Not Map.groupBy, which Node 20 lacks. */
function alikeIn<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): readonly Item[][] {
  const groups = new Map<unknown, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** Faults that read the same: once. */
function faultLines(alike: readonly Evidence[]): string[] {
  const others = alike.length > 1 ? ` (and ${alike.length - 1} more)` : '';
  return alike
    .slice(0, 1)
    .flatMap(({ expected, seen }) => [`        expected: ${expected}`, `        seen:     ${seen}${others}`]);
}

function toolLines({ called, notCalled, notMade }: ConformanceReport): string[] {
  const named = (names: readonly string[]): string => {
    const more = names.length - keptLimits.shownTools;
    return `${names.slice(0, keptLimits.shownTools).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  };
  return [
    ...(called.length > 0 ? [`called: ${named(called)}`] : []),
    ...(notCalled.length > 0
      ? [`not called, because no annotation says that it changes nothing: ${named(notCalled)}`]
      : []),
    ...notMade.map(({ tool, why }) => `not called: ${tool}, ${why}`),
  ];
}

/** A report for programs. */
export function reportJson(report: ConformanceReport, options: ReportOptions = {}): Json {
  const { passed, called, notCalled, notMade, clauses } = report;
  return {
    passed,
    counts: countsOf(report),
    called,
    notCalled,
    notMade: notMade.map((call) => ({ ...call })),
    clauses: clauses.map((clause) => {
      const { id, level, heading, says, verdict, reason, faults, faultCount } = clause;
      return {
        id,
        level,
        verdict,
        says,
        page: pageOf(clause, options),
        heading,
        ...(reason === undefined ? {} : { reason }),
        ...(faults === undefined ? {} : { faults: faults.map((fault) => ({ ...fault })) }),
        ...(faultCount === undefined ? {} : { faultCount }),
      };
    }),
  };
}
