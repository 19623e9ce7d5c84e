import type { Json } from '@fairlead/base';
import { keptLimits } from '../limits.ts';
import type { ClauseReport, ConformanceReport } from './conformance-report.ts';
import type { Evidence, Finding } from './findings.ts';

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
export function reportText(report: ConformanceReport): string {
  const width = Math.max(...report.clauses.map(({ id }) => id.length));
  const linesOf = (wanted: Finding['verdict']) =>
    report.clauses
      .filter(({ verdict }) => verdict === wanted)
      .flatMap((clause) => clauseLines(clause, width));
  const { passed, failed, advice, skipped } = countsOf(report);
  return [
    ...linesOf('passed'),
    ...skippedLines(report, width),
    ...linesOf('advice'),
    ...linesOf('failed'),
    '',
    ...toolLines(report),
    `${passed} passed, ${failed} failed, ${advice} advice, ${skipped} skipped`,
    '',
  ].join('\n');
}

function skippedLines({ clauses }: ConformanceReport, width: number): string[] {
  const skipped = clauses.filter(({ verdict }) => verdict === 'skipped');
  return [...Map.groupBy(skipped, ({ reason }) => reason)].flatMap(([reason, those]) =>
    those.length > keptLimits.shownSkipped
      ? [`${those.length} skipped: ${reason}`]
      : those.flatMap((clause) => clauseLines(clause, width)),
  );
}

function clauseLines(clause: ClauseReport, width: number): string[] {
  const { id, verdict, level, says, page, heading, reason, faults = [], faultCount = 0 } = clause;
  const head = `${verdict.padEnd(8)}${id.padEnd(width)}  ${level} ${says}`;
  if (verdict === 'skipped') return [head, `        skipped: ${reason}`];
  if (faults.length === 0) return [head];
  const more = faultCount - faults.length;
  const alike = Map.groupBy(faults, ({ expected, seen }) => JSON.stringify([expected, seen]));
  return [
    head,
    ...[...alike.values()].flatMap(faultLines),
    ...(more > 0 ? [`        … and ${more} more`] : []),
    `        written:  ${page}, ${heading}`,
  ];
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
export function reportJson(report: ConformanceReport): Json {
  const { passed, called, notCalled, notMade, clauses } = report;
  return {
    passed,
    counts: countsOf(report),
    called,
    notCalled,
    notMade: notMade.map((call) => ({ ...call })),
    clauses: clauses.map(({ id, level, page, heading, says, verdict, reason, faults, faultCount }) => ({
      id,
      level,
      verdict,
      says,
      page,
      heading,
      ...(reason === undefined ? {} : { reason }),
      ...(faults === undefined ? {} : { faults: faults.map((fault) => ({ ...fault })) }),
      ...(faultCount === undefined ? {} : { faultCount }),
    })),
  };
}
