import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { benches } from '../bench/benches/index.ts';
import { type Baseline, baselineOf } from '../bench/harness/baseline.ts';
import type { Bench } from '../bench/harness/bench.ts';
import { compareWithBaseline } from '../bench/harness/comparison.ts';
import { durationText } from '../bench/harness/duration.ts';
import { measurementOf } from '../bench/harness/measurement.ts';
import { linesOf, reportOfLines } from '../bench/harness/report-lines.ts';
import { reportRow } from '../bench/harness/row.ts';
import { runBenches } from '../bench/harness/run-benches.ts';
import { dotPlotSvg } from '../bench/page/dot-plot.ts';
import { performancePage, RUN_FILE } from '../bench/page/performance-page.ts';
import { plotsOf } from '../bench/page/plots.ts';
import { writePage } from '../bench/page/write-page.ts';
import { fixedReport } from './bench/fixed-report.ts';

const plots = ['one-call.svg', 'calls-per-second.svg', 'goals.svg'];
const page = performancePage(fixedReport, new Set(plots), 'performance');

/** The lines of the page from a heading to the next. */
function sectionOf(text: string, heading: string): string[] {
  const lines = text.split('\n');
  const from = lines.indexOf(`## ${heading}`);
  const to = lines.findIndex((line, index) => index > from && line.startsWith('## '));
  return lines.slice(from + 1, to).filter((line) => line !== '');
}

test('the page says what it was measured with', () => {
  assert.match(
    page.replaceAll('\n', ' '),
    /Fairlead 0\.1\.0 on 2026-11-30: Node v24\.0\.0, A processor, 2 cores, 8 GiB, linux x64 6\.1\.0; load 0\.25 at the start; seed 7\./,
  );
});

test('the page says when the machine did other things', () => {
  const pageAt = (loadAverage: number) =>
    performancePage({ ...fixedReport, machine: { ...fixedReport.machine, loadAverage } }, new Set(), 'x');
  assert.match(pageAt(1.1), /\*\*The machine was not quiet\*\*/);
  assert.doesNotMatch(pageAt(0.9), /not quiet/);
});

test('the page shows what is measured side by side, middle, tail and rate, one call at a time and eight at once', () => {
  const table = sectionOf(page, 'One call, beside others').filter((line) => line.startsWith('|'));
  assert.deepEqual(table, [
    '| | p50, µs | p95, µs | per second | 8 at once: p50, µs | p95, µs | per second |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    '| bare pipe | 21 | 22 | 40,000 | 70 | 80 | 100,000 |',
    '| Fairlead, HTTP | 1,350 | 1,800 | 1,000 | 6,000 | 7,000 | 1,500 |',
  ]);
});

test('the page says of every peer what it does not do', () => {
  const notes = sectionOf(page, 'One call, beside others').filter((line) => line.startsWith('- **'));
  assert.deepEqual(
    notes.map((line) => line.slice(4, line.indexOf('**:'))),
    [
      'Extism',
      'bare pipe',
      'Fairlead Runner',
      'MCP SDK v1, stdio',
      'MCP SDK v2, stdio',
      'supergateway',
      'Fairlead, HTTP',
      'Fairlead, /mcp',
      'Fairlead, fairlead mcp',
    ],
  );
  for (const name of ['Extism', 'bare pipe', 'MCP SDK v1, stdio', 'supergateway']) {
    const note = notes.find((line) => line.includes(`**${name}**`)) ?? '';
    assert.match(note, /[Nn]o .*binding, no certainty.*, no journal/, name);
  }
});

test('every goal is on the page with its figure and whether it holds, in its own words', () => {
  assert.deepEqual(sectionOf(page, 'Goals').slice(4), [
    '| bench | result | measured | beside | goal | holds |',
    '| --- | --- | --- | --- | --- | --- |',
    '| `calls` | call against a pipe | 24 µs | 20 µs: 1.2 times [1.15..1.25] | ratio ≤ 1.5 | yes |',
    '| `admission` | a hundred tools | 108 ms | 100 ms: +8.5 ms | difference ≤ 8 ms | **no** |',
    '| `up` | registered first | 5 ms | 6 ms: 0.83 times [0.8..0.9] | before, in every round | yes |',
    '| `up` | settled | 2.5 ms | – | p50 ≤ 100 ms | yes |',
  ]);
});

test('a goal that does not hold is named beneath the heading, and where all hold that is said', () => {
  assert.deepEqual(sectionOf(page, 'Goals').slice(1, 3), [
    '3 of 4 hold. **These do not**:',
    '- `admission`, a hundred tools: difference ≤ 8 ms',
  ]);
  const rows = fixedReport.rows.filter(({ holds }) => holds !== false);
  const held = performancePage({ ...fixedReport, rows }, new Set(), 'x');
  assert.equal(sectionOf(held, 'Goals')[1], 'All 3 hold.');
});

test('a row that the baseline did not have is shown as new, and what is no ratio as not compared', () => {
  const before = baselineOf(fixedReport, null);
  const baseline: Baseline = { ...before, rows: before.rows.filter(({ bench }) => bench !== 'admission') };
  const since = (against: Baseline) => {
    const comparison = compareWithBaseline(fixedReport, against);
    return sectionOf(
      performancePage({ ...fixedReport, comparison }, new Set(), 'x'),
      'Since the baseline before',
    );
  };
  const apart = 'Not compared, because they are no ratios: 3 rows (2 held by their goals, 1 told).';
  const head = 'Held against the baseline of 2026-11-30 (this machine; 25 % beyond the spread of both):';
  assert.deepEqual(since(baseline), [
    `${head} 2 of 3 ratios the same.`,
    '- not in the baseline: admission: a hundred tools: 1.08 [1.05..1.12]',
    apart,
  ]);
  assert.deepEqual(since(before), [`${head} 3 of 3 ratios the same.`, apart]);
  assert.doesNotMatch(page, /Since the baseline before/);
});

test('the page says how long its run took, the longest bench first', () => {
  assert.match(page, /^The whole run took about 3 minutes: `peers` 2 min 10 s, `calls` 40 s\.$/m);
  assert.doesNotMatch(performancePage({ ...fixedReport, durations: [] }, new Set(), 'x'), /whole run took/);
  assert.equal(durationText(119.6), '2 min 0 s');
});

test('a run that is kept beside its page comes back as it was, figures with six digits', () => {
  const rows = fixedReport.rows.map((row) => ({ ...row, p50: row.p50 + 1 / 3 }));
  const back = reportOfLines(linesOf({ ...fixedReport, rows }));
  assert.equal(back.rows[0]?.p50, 24.3333);
  assert.deepEqual({ ...back, rows: fixedReport.rows }, JSON.parse(JSON.stringify(fixedReport)));
  assert.throws(() => reportOfLines('{"row":{}}\n'), { message: 'a report without its run' });
  assert.throws(() => reportOfLines('{"rows":[]}\n'), SyntaxError);
});

test('what has no goal, and what was not measured, stands there too', () => {
  assert.deepEqual(sectionOf(page, 'Told without a goal').slice(2), [
    '| `up` | memory \\| idle | 61.2 MiB | – |',
    '| `peers` | Fairlead, HTTP, against supergateway | 900 µs | 600 µs: 1.5 times [1.4..1.6] |',
  ]);
  assert.deepEqual(sectionOf(page, 'Not measured'), [
    '- `peers`, Fairlead Runner, against Extism: --no-peers was given',
    '- `append`: no disk',
  ]);
  const complete = performancePage({ ...fixedReport, skipped: [], failures: [] }, new Set(), 'performance');
  assert.doesNotMatch(complete, /## Not measured/);
});

test('what the journal alone costs is said where it was measured', () => {
  const commits = { bench: 'http', ...measurementOf('two journal commits', 'µs', [[210]]) };
  const report = { ...fixedReport, measurements: [...fixedReport.measurements, commits] };
  assert.match(performancePage(report, new Set(), 'x'), /The two commits alone took 210 µs here\./);
  assert.doesNotMatch(page, /two commits alone/);
});

test('a plot names itself, describes itself in words, and has colours for light and dark', () => {
  for (const [name, svg] of plotsOf(fixedReport)) {
    assert.match(
      svg,
      /^<svg [^>]*role="img" aria-labelledby="title description">\n<title id="title">[^<]+<\/title>\n<desc id="description">[^<]+<\/desc>\n/,
      name,
    );
    assert.match(svg, /@media \(prefers-color-scheme:dark\)\{text\{fill:#[0-9a-f]{6}\}/, name);
    // Nothing is fetched and nothing runs.
    assert.doesNotMatch(svg, /<script|href|url\(|@import|NaN|Infinity|undefined/, name);
  }
  assert.deepEqual([...plotsOf(fixedReport).keys()], plots);
});

test('the descriptions of the plots hold their figures', () => {
  const described = [...plotsOf(fixedReport).values()].map((svg) => /<desc[^>]*>(.*)<\/desc>/.exec(svg)?.[1]);
  assert.deepEqual(described, [
    'The middle of the calls and, as a line, the 95th of 100: bare pipe 21 to 22 µs; Fairlead, HTTP 1350 to 1800 µs.',
    'One call at a time, and eight: bare pipe 40000 and 100000; Fairlead, HTTP 1000 and 1500.',
    '1 is the goal, less is better: calls: call against a pipe 0.8; admission: a hundred tools 1.06; up: settled 0.025.',
  ]);
});

test('a plot puts a dot where its value is on a logarithmic axis, and a line as far as it reaches', () => {
  const svg = dotPlotSvg({
    title: 'A < B & "C"',
    description: 'd',
    lines: [
      { label: 'twelve chars', marks: [{ value: 10, low: 1, high: 100, series: 0 }] },
      { label: 'beyond', marks: [{ value: 1_000, series: 1 }] },
    ],
    series: ['one', 'two'],
    ticks: [1, 10, 100],
    axis: 'µs',
    limit: { value: 100, label: 'goal' },
  });
  // Labels take 120 of 720, the right margin 30: the axis goes from 120 to 690.
  assert.match(svg, /<title id="title">A &lt; B &amp; &quot;C&quot;<\/title>/);
  assert.match(
    svg,
    /<line class="a" stroke-width="2" x1="120" x2="690" y1="68" y2="68"\/>\n<circle class="a" cx="405" cy="68" r="4.5"\/>/,
  );
  // What lies beyond the axis stands at its end.
  assert.match(svg, /<rect class="b" x="686" y="104" width="8" height="8"\/>/);
  assert.match(svg, /<line class="l" stroke-width="2" x1="690" x2="690" y1="50" y2="118"\/>/);
});

test('a report without the bench has no plot of it, and its page says so', (t) => {
  hygiene(t);
  const report = { ...fixedReport, measurements: [] };
  assert.deepEqual([...plotsOf(report).keys()], ['goals.svg']);
  const text = performancePage(report, new Set(['goals.svg']), 'performance');
  assert.match(text, /Not measured in this run\./);
  assert.doesNotMatch(text, /one-call\.svg/);
});

test('the page and its plots are written beside each other', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  await writePage(fixedReport, join(folder, 'speed.md'));
  assert.match(readFileSync(join(folder, 'speed.md'), 'utf8'), /\]\(speed\/one-call\.svg\)/);
  assert.deepEqual(readdirSync(join(folder, 'speed')).sort(), [...plots, 'run.jsonl'].sort());
});

test('--update-baseline --write gives a page of its own run, with what was new to the baseline before', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const added: Bench = {
    name: 'added',
    title: 'since the baseline',
    async run() {
      const measured = measurementOf('a call', 'µs', [[1 / 3], [2 / 3]]);
      return { measurements: [measured], rows: [reportRow('beside itself', measured, measured)] };
    },
  };
  const baselineFile = join(folder, 'baseline.json');
  writeFileSync(baselineFile, JSON.stringify({ ...baselineOf(fixedReport, null), rows: [] }));
  const pageFile = join(folder, 'page.md');
  const ignore = () => {};
  const status = await runBenches(['--update-baseline', '--write'], [added], {
    ...{ out: ignore, err: ignore, freshSeed: () => 1, signal: new AbortController().signal },
    ...{ baselineFile, pageFile },
  });
  assert.equal(status, 0);
  const written = readFileSync(pageFile, 'utf8');
  const kept = reportOfLines(readFileSync(join(folder, 'page', RUN_FILE), 'utf8'));
  assert.equal(written, performancePage(kept, new Set(plotsOf(kept).keys()), 'page'));
  assert.deepEqual(kept.measurements[0]?.perRound, [0.333333, 0.666667]);
  assert.match(written, /^- not in the baseline: added: beside itself: 1 \[1\.\.1\]$/m);
  assert.match(written, /^The whole run took about 1 minute: `added` 0 s\.$/m);
  const { rows } = JSON.parse(readFileSync(baselineFile, 'utf8')) as Baseline;
  assert.deepEqual(rows, [{ bench: 'added', name: 'beside itself', ratio: 1, low: 1, high: 1 }]);
});

test('a page that is written again from its run says the same, also once the baseline is of that run', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const baselineFile = join(folder, 'baseline.json');
  const pageFile = join(folder, 'page.md');
  const runFile = join(folder, 'page', RUN_FILE);
  const measuring = (name: string): Bench => ({
    name,
    title: 'measured once',
    async run() {
      const [is, other] = [12, 10].map((figure) => measurementOf('a call', 'µs', [[figure], [figure]]));
      assert.ok(is !== undefined);
      return { measurements: [is], rows: [reportRow('beside another', is, other)] };
    },
  });
  const ignore = () => {};
  const write = async (args: readonly string[], of: readonly Bench[]) =>
    await runBenches([...args, '--write'], of, {
      ...{ out: ignore, err: ignore, freshSeed: () => 1, signal: new AbortController().signal },
      ...{ baselineFile, pageFile },
    });
  const files = () => [pageFile, runFile].map((file) => readFileSync(file, 'utf8'));
  const row = { bench: 'calls', name: 'beside another', ratio: 3, low: 2.9, high: 3.1 };
  writeFileSync(baselineFile, JSON.stringify({ ...baselineOf(fixedReport, null), rows: [row] }));
  assert.equal(await write(['--update-baseline'], [measuring('calls')]), 0);
  const written = files();
  assert.match(written[0] ?? '', /^- faster than the baseline: calls: beside another: 1\.2 .*, was 3 /m);
  assert.equal(await write(['--from', runFile], [measuring('calls')]), 0);
  assert.deepEqual(files(), written);
  // A bench that was added since then is not of that run.
  assert.equal(await write(['--from', runFile], [measuring('calls'), measuring('added')]), 0);
  assert.deepEqual(files(), written);
  // One that was held against nothing says nothing of it later.
  await rm(baselineFile);
  assert.equal(await write(['--update-baseline'], [measuring('calls')]), 0);
  const alone = files();
  assert.equal(await write(['--from', runFile], [measuring('calls')]), 0);
  assert.deepEqual(files(), alone);
});

test('the command that the pages name writes the committed page again from its run, and changes nothing', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  await cp(join(repositoryRoot, 'docs/reference/performance'), join(folder, 'performance'), {
    recursive: true,
  });
  const said: string[] = [];
  await runBenches(['--from', join(folder, 'performance', RUN_FILE), '--write'], benches, {
    ...{ out: () => {}, err: (text) => said.push(text), freshSeed: () => 1 },
    ...{ signal: new AbortController().signal, pageFile: join(folder, 'performance.md') },
    baselineFile: join(repositoryRoot, 'bench/baseline.json'),
  });
  assert.match(said.join(''), /^does not hold: /m);
  for (const file of ['performance.md', `performance/${RUN_FILE}`])
    assert.equal(
      readFileSync(join(folder, file), 'utf8'),
      readFileSync(join(repositoryRoot, 'docs/reference', file), 'utf8'),
      file,
    );
});

test('the committed page and its plots are what the command writes of the run beside them, to the letter', () => {
  const reference = join(repositoryRoot, 'docs/reference');
  const text = (file: string) => readFileSync(join(reference, file), 'utf8');
  const report = reportOfLines(text(`performance/${RUN_FILE}`));
  const drawn = plotsOf(report);
  assert.equal(text('performance.md'), performancePage(report, new Set(drawn.keys()), 'performance'));
  for (const [name, svg] of drawn) assert.equal(text(`performance/${name}`), svg, name);
  assert.deepEqual(readdirSync(join(reference, 'performance')).sort(), [...drawn.keys(), RUN_FILE].sort());
  const names = benches.map(({ name }) => name);
  assert.deepEqual(
    report.rows.filter(({ bench }) => !names.includes(bench)),
    [],
  );
});
