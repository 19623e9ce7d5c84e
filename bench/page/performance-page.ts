import { comparisonTexts } from '../harness/comparison.ts';
import { durationText, secondsOf } from '../harness/duration.ts';
import { peerFigures, peerLanes, peerNames } from '../harness/peer-figures.ts';
import type { Report } from '../harness/report.ts';
import { rounded } from '../harness/statistics.ts';
import { goalText } from '../harness/table.ts';

/** The run that the page is of, in the folder of its plots. */
export const RUN_FILE = 'run.jsonl';

/** Above this much in use of a core, something else ran too. */
const BUSY_LOAD_A_CORE = 0.5;

/** What each of the others leaves out of what a call through Fairlead has. */
const peerNotes: Readonly<Record<string, string>> = {
  [peerNames.extism]:
    'a sandboxed function in the caller’s own process; here it copies its input. No process, no binding, no certainty after a crash, no journal; one call at a time; reset every 4,096 calls, without which version 1.0.3 ends after 16,383',
  [peerNames.pipe]:
    'the floor: lines of JSON to a child and back. No limits, no deadlines, no checks, no restart, no binding, no certainty, no journal',
  [peerNames.runner]:
    'limits, deadlines, checked arguments and results, binding, certainty. No gateway, so no token and no journal; a plugin gets one call at a time',
  [peerNames.mcpV1]:
    'the official client and server. Checked results; no binding, no certainty (a lost answer is an error), no journal, no restart',
  [peerNames.mcpV2]: 'the same, version 2',
  [peerNames.gateway]:
    'an MCP server over stdio behind HTTP, kept running for the session. No tokens, no binding, no certainty, no journal',
  [peerNames.http]:
    'everything: token, binding, two durable commits of the journal, Runner, certainty; a plugin gets one call at a time',
  [peerNames.mcpHttp]: 'the same over MCP',
  [peerNames.mcpStdio]: 'the same through one more process, as desktop clients use it',
};

/** The page of the reference, whole. `plots` are the names of its SVG files, which stand in the folder `folder` beside it. */
export function performancePage(report: Report, plots: ReadonlySet<string>, folder: string): string {
  const image = (file: string, alt: string) => (plots.has(file) ? [`![${alt}](${folder}/${file})`, ''] : []);
  const held = report.rows.filter(({ goal }) => goal !== null);
  const told = report.rows.filter(({ goal }) => goal === null);
  const lines = [
    '# Performance',
    '',
    '<!-- Written by `npm run bench -- --write`; do not edit. -->',
    '',
    'What a call through Fairlead costs, beside what it cannot do without and beside others that do less. Everything on this page was',
    'measured in one run. Compare ratios: they carry over to another machine, and absolute times do not.',
    '',
    ...machineLines(report),
    '',
    '## One call, beside others',
    '',
    'The same payload, an echo of 1 KiB of JSON, on the same machine, in the same run; the variants take turns, round by round. Closed',
    `loop: a client makes its next call when the last one was answered, one at a time or ${peerLanes.several} at once. The servers of MCP, the plugin and`,
    'the child of the bare pipe are the same few lines on the same Node.',
    '',
    ...image(
      'one-call.svg',
      'Latency of one echo through Fairlead and through others; the table below has the figures',
    ),
    ...image(
      'calls-per-second.svg',
      'Echoes in a second, one and eight at once; the table below has the figures',
    ),
    ...peerTable(report),
    '',
    'They do not do the same work. What each of them has, and what it leaves out:',
    '',
    ...Object.values(peerNames).map((name) => `- **${name}**: ${peerNotes[name]}.`),
    '',
    ...journalLines(report),
    '',
    '## Goals',
    '',
    'A goal bounds a ratio, a difference, or a time. Where one does not hold, the run ends with 1 and names it.',
    '',
    ...goalLines(held),
    '',
    ...image('goals.svg', 'How much of each goal is used up; the table below has the figures'),
    '| bench | result | measured | beside | goal | holds |',
    '| --- | --- | --- | --- | --- | --- |',
    ...held.map((row) =>
      tableLine([
        `\`${row.bench}\``,
        row.name,
        withUnit(row.p50, row.unit),
        besideText(row),
        goalText(row),
        row.holds === true ? 'yes' : '**no**',
      ]),
    ),
    '',
    '## Told without a goal',
    '',
    '| bench | result | measured | beside |',
    '| --- | --- | --- | --- |',
    ...told.map((row) =>
      tableLine([`\`${row.bench}\``, row.name, withUnit(row.p50, row.unit), besideText(row)]),
    ),
    '',
    ...comparisonLines(report),
    ...skippedLines(report),
    '## How it is measured',
    '',
    '[bench/README.md](../../bench/README.md) says what stands behind each row, and',
    '[Run the benchmarks](../how-to/run-the-benchmarks.md) how to measure on your machine. In brackets stands where a ratio lies with 95 %',
    'confidence, by its rounds. The committed ratios of `bench/baseline.json` are what later runs are held against.',
    `The figures of the run that this page is of stand in [${RUN_FILE}](${folder}/${RUN_FILE}).`,
    '',
    ...durationLines(report),
  ];
  return lines.join('\n');
}

function machineLines({ version, startedAt, seed, machine }: Report): string[] {
  const { node, cpu, cores, memoryGib, platform, architecture, kernel, loadAverage } = machine;
  return [
    `Fairlead ${version} on ${startedAt.slice(0, 10)}: Node ${node}, ${cpu}, ${cores} cores, ${memoryGib} GiB, ${platform} ${architecture} ${kernel}; load`,
    `${loadAverage.toFixed(2)} at the start; seed ${seed}.`,
    ...(loadAverage > cores * BUSY_LOAD_A_CORE
      ? [
          '',
          '**The machine was not quiet**: its times are longer than they would be, and its brackets wider.',
        ]
      : []),
  ];
}

/** Which goals do not hold, by name. */
function goalLines(held: Report['rows']): string[] {
  const missed = held.filter(({ holds }) => holds !== true);
  if (missed.length === 0) return [`All ${held.length} hold.`];
  return [
    `${held.length - missed.length} of ${held.length} hold. **These do not**:`,
    '',
    ...missed.map((row) => `- \`${row.bench}\`, ${row.name}: ${goalText(row)}`),
  ];
}

/** What became of the ratios since the baseline that this run was held against; nothing where there was none. */
function comparisonLines({ comparison }: Report): string[] {
  if (comparison === null) return [];
  const { head, changed, apart } = comparisonTexts(comparison);
  return [
    '## Since the baseline before',
    '',
    `Held ${head}.`,
    '',
    ...(changed.length === 0 ? [] : [...changed.map((text) => `- ${text}`), '']),
    ...(apart === null ? [] : [`${apart[0]?.toUpperCase()}${apart.slice(1)}.`, '']),
  ];
}

/** How long a whole run takes, and what takes longest. */
function durationLines({ durations }: Report): string[] {
  if (durations.length === 0) return [];
  const longest = [...durations].sort((one, other) => other.seconds - one.seconds);
  const minutes = Math.max(1, Math.round(secondsOf(durations) / 60));
  return [
    `The whole run took about ${minutes} minute${minutes === 1 ? '' : 's'}: ${longest
      .map(({ bench, seconds }) => `\`${bench}\` ${durationText(seconds)}`)
      .join(', ')}.`,
    '',
  ];
}

/** Why a call through a gateway of Fairlead's takes longer than through one that keeps nothing. */
function journalLines({ measurements }: Report): string[] {
  const commits = measurements.find(({ bench, name }) => bench === 'http' && name === 'two journal commits');
  return [
    'Where Fairlead takes longer than another gateway, the journal is a large part of it: a call is on disk, synced, before the plugin',
    'is asked, and its outcome before the answer leaves. Without that nobody could say afterwards what happened.' +
      (commits === undefined
        ? ''
        : ` The two commits alone took ${withUnit(commits.p50, commits.unit)} here.`),
  ];
}

function peerTable(report: Report): string[] {
  const found = (name: string) =>
    report.measurements.find((measured) => measured.bench === 'peers' && measured.name === name);
  const { one, several } = peerLanes;
  const lines = Object.values(peerNames).flatMap((name) => {
    const alone = found(peerFigures.latency(name, one));
    const together = found(peerFigures.latency(name, several));
    const rates = [one, several].map((inFlight) => found(peerFigures.rate(name, inFlight))?.p50 ?? 0);
    if (alone === undefined || together === undefined) return [];
    return [
      tableLine([
        name,
        figure(alone.p50),
        figure(alone.p95 ?? alone.p50),
        figure(rates[0] ?? 0),
        figure(together.p50),
        figure(together.p95 ?? together.p50),
        figure(rates[1] ?? 0),
      ]),
    ];
  });
  if (lines.length === 0) return ['Not measured in this run.'];
  return [
    `| | p50, µs | p95, µs | per second | ${several} at once: p50, µs | p95, µs | per second |`,
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...lines,
  ];
}

function skippedLines({ skipped, failures }: Report): string[] {
  const lines = [
    ...skipped.map(({ bench, name, reason }) => `- \`${bench}\`, ${name}: ${reason}`),
    ...failures.map(({ bench, message }) => `- \`${bench}\`: ${message.split('\n')[0]}`),
  ];
  return lines.length === 0 ? [] : ['## Not measured', '', ...lines, ''];
}

function besideText({
  baseline,
  ratio,
  ratioInterval,
  difference,
  unit,
  goalOf,
}: Report['rows'][number]): string {
  if (baseline === null || ratio === null || difference === null) return '–';
  const beside = withUnit(baseline, unit);
  if (goalOf === 'difference')
    return `${beside}: ${difference < 0 ? '−' : '+'}${withUnit(Math.abs(difference), unit)}`;
  const [low, high] = ratioInterval ?? [ratio, ratio];
  return `${beside}: ${rounded(ratio)} times [${rounded(low)}..${rounded(high)}]`;
}

function withUnit(value: number, unit: string): string {
  return `${figure(value)} ${unit}`;
}

function figure(value: number): string {
  return rounded(value).toLocaleString('en');
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
