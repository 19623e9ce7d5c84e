import { peerFigures, peerLanes, peerNames } from '../harness/peer-figures.ts';
import type { Report } from '../harness/report.ts';
import { rounded } from '../harness/statistics.ts';
import { type DotPlot, dotPlotSvg } from './dot-plot.ts';

/** The plots of a report by the names of their files. A plot of which nothing was measured is left out. */
export function plotsOf(report: Report): ReadonlyMap<string, string> {
  const plots = [
    ['one-call.svg', latencyPlot(report)],
    ['calls-per-second.svg', ratePlot(report)],
    ['goals.svg', goalPlot(report)],
  ] as const;
  return new Map(
    plots.filter(([, { lines }]) => lines.length > 0).map(([name, plot]) => [name, dotPlotSvg(plot)]),
  );
}

function latencyPlot(report: Report): DotPlot {
  const lines = Object.values(peerNames).flatMap((label) => {
    const found = figureOf(report, peerFigures.latency(label, peerLanes.one));
    if (found === null) return [];
    return [
      { label, marks: [{ value: found.p50, low: found.p50, high: found.p95 ?? found.p50, series: 0 }] },
    ];
  });
  return {
    title: 'One echo of 1 KiB, one call at a time',
    description: `The middle of the calls and, as a line, the 95th of 100: ${lines
      .map(
        ({ label, marks: [mark] }) =>
          `${label} ${rounded(mark?.value ?? 0)} to ${rounded(mark?.high ?? 0)} µs`,
      )
      .join('; ')}.`,
    lines,
    series: ['p50 to p95'],
    ticks: ticksFor(lines),
    axis: 'µs, less is better',
  };
}

function ratePlot(report: Report): DotPlot {
  const lanes = [peerLanes.one, peerLanes.several];
  const lines = Object.values(peerNames).flatMap((label) => {
    const marks = lanes.flatMap((inFlight, series) => {
      const found = figureOf(report, peerFigures.rate(label, inFlight));
      return found === null ? [] : [{ value: found.p50, series }];
    });
    return marks.length === 0 ? [] : [{ label, marks }];
  });
  return {
    title: 'Echoes of 1 KiB in a second',
    description: `One call at a time, and eight: ${lines
      .map(({ label, marks }) => `${label} ${marks.map(({ value }) => rounded(value)).join(' and ')}`)
      .join('; ')}.`,
    lines,
    series: ['one at a time', `${peerLanes.several} at once`],
    ticks: ticksFor(lines),
    axis: 'calls per second, more is better',
  };
}

/** Every goal as the share of it that is used up, so that ratios, times and limits stand on one axis. */
function goalPlot(report: Report): DotPlot {
  const lines = report.rows.flatMap(
    ({ bench, name, p50, ratio, ratioInterval, difference, goal, goalOf }) => {
      const label = `${bench}: ${shortened(name)}`;
      if (goal === null) return [];
      if (goalOf === 'limit') return [{ label, marks: [{ value: p50 / goal, series: 0 }] }];
      // A difference may be nothing at all, or less: it then stands at the end of the axis.
      if (goalOf === 'difference')
        return [{ label, marks: [{ value: Math.max(1e-3, (difference ?? 0) / goal), series: 0 }] }];
      if (goalOf !== 'ratio' || ratio === null || ratioInterval === null) return [];
      const [low, high] = ratioInterval.map((value) => value / goal);
      const reach = low === undefined || high === undefined ? {} : { low, high };
      return [{ label, marks: [{ value: ratio / goal, ...reach, series: 0 }] }];
    },
  );
  return {
    title: 'How much of each goal is used up',
    description: `1 is the goal, less is better: ${lines
      .map(({ label, marks: [mark] }) => `${label} ${rounded(mark?.value ?? 0)}`)
      .join('; ')}.`,
    lines,
    series: ['measured ÷ goal'],
    ticks: [0.01, 0.03, 0.1, 0.3, 1, 3],
    axis: 'measured ÷ goal',
    limit: { value: 1, label: 'goal' },
  };
}

function figureOf({ measurements }: Report, name: string) {
  return measurements.find((measured) => measured.bench === 'peers' && measured.name === name) ?? null;
}

/** The whole powers of ten around all figures. */
function ticksFor(lines: DotPlot['lines']): number[] {
  const values = lines.flatMap(({ marks }) => marks.flatMap(({ value, high }) => [value, high ?? value]));
  if (values.length === 0) return [1, 10];
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

const LABEL_CHARACTERS = 46;

function shortened(name: string): string {
  const label = name.replace(/^… /, '');
  return label.length <= LABEL_CHARACTERS ? label : `${label.slice(0, LABEL_CHARACTERS - 1).trimEnd()}…`;
}
