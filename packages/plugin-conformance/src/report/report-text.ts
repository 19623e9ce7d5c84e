import type { Json } from '@fairlead/base';
import { keptLimits } from '../limits.ts';
import type { ClauseReport, ConformanceReport } from './conformance-report.ts';
import type { Finding } from './findings.ts';

/** How many clauses have each verdict. */
function countsOf({ clauses }: ConformanceReport): Readonly<Record<Finding['verdict'], number>> {
  const counts = { passed: 0, failed: 0, advice: 0, skipped: 0 };
  for (const { verdict } of clauses) counts[verdict] += 1;
  return counts;
}

/** A report for people: one line a clause, and below it what was expected, what was seen and where it is written. */
export function reportText(report: ConformanceReport): string {
  const width = Math.max(...report.clauses.map(({ id }) => id.length));
  const lines = report.clauses.flatMap((clause) => clauseLines(clause, width));
  const { passed, failed, advice, skipped } = countsOf(report);
  return [
    ...lines,
    '',
    ...toolLines(report),
    `${passed} passed, ${failed} failed, ${advice} advice, ${skipped} skipped`,
    '',
  ].join('\n');
}

function clauseLines(clause: ClauseReport, width: number): string[] {
  const { id, verdict, level, says, page, heading, reason, faults = [], faultCount = 0 } = clause;
  const head = `${verdict.padEnd(8)}${id.padEnd(width)}  ${level} ${says}`;
  if (verdict === 'skipped') return [head, `        skipped: ${reason}`];
  if (faults.length === 0) return [head];
  const more = faultCount - faults.length;
  return [
    head,
    ...faults.flatMap(({ expected, seen }) => [`        expected: ${expected}`, `        seen:     ${seen}`]),
    ...(more > 0 ? [`        … and ${more} more`] : []),
    `        written:  ${page}, ${heading}`,
  ];
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
