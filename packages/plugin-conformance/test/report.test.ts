import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { scenarioListJson, scenarioListText } from '../src/hostile/scenario-list.ts';
import { hostileScenarios, scenarioOf } from '../src/hostile/scenarios.ts';
import { shownBytes, shownValue } from '../src/plugin/shown.ts';
import { Findings } from '../src/report/findings.ts';
import { reportJson, reportText } from '../src/report/report-text.ts';
import { runStaged } from './run-staged.ts';

function scenario(name: string) {
  const found = scenarioOf(name);
  assert.ok(found !== undefined);
  return found;
}

test('a report says of a fault what was expected, what was seen, and where it is written', async (t) => {
  hygiene(t);
  const text = reportText(await runStaged(scenario('title-with-escape')));
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith('failed'));
  assert.deepEqual(lines.slice(at, at + 4), [
    'failed  wire.list.title                must keep a title within 1 to 128 bytes without control characters',
    '        expected: a text of 1 to 128 bytes without control characters',
    '        seen:     tool 1 ("echo"): title "\\u001b[1m" (a Runner says invalid_tool_title)',
    '        written:  docs/reference/native-plugin-protocol.md, 4 tools/list',
  ]);
  assert.match(text, /\n\d+ passed, 1 failed, 0 advice, \d+ skipped\n$/);
  assert.equal(text.includes('\u001b'), false);
});

test('a report says why a clause was skipped, and which tools were left alone', async (t) => {
  hygiene(t);
  const writing = {
    ...scenario('well-behaved'),
    plays: { tools: () => [{ name: 'erase', inputSchema: { type: 'object' } }] },
  };
  const report = await runStaged(writing, { calls: [{ tool: 'absent', arguments: {} }] });
  const text = reportText(report);
  assert.match(text, /\n\d+ skipped: no tool is annotated readOnlyHint; name one with --call TOOL=JSON\n/);
  assert.match(text, /\nnot called, because no annotation says that it changes nothing: erase\n/);
  assert.match(text, /\nnot called: absent, the plugin lists no such tool\n/);
  assert.equal(report.passed, true);
});

test('what failed stands last, above the counts, and clauses skipped for one reason are one line', async (t) => {
  hygiene(t);
  const lines = reportText(await runStaged(scenario('banner'))).split('\n');
  assert.equal(lines[0], '64 skipped: the plugin did not come so far: a Runner would not take it');
  assert.match(lines[1] ?? '', /^failed {2}wire\.framing\.silent-start /);
  assert.deepEqual(lines.slice(5), ['', '0 passed, 1 failed, 0 advice, 64 skipped', '']);
});

test('a few clauses that were skipped for one reason are shown one by one', async (t) => {
  hygiene(t);
  const { clauses, ...report } = await runStaged(scenario('well-behaved'));
  const text = reportText({
    ...report,
    clauses: clauses.map((clause, index) =>
      index < 2 ? { ...clause, verdict: 'skipped', reason: 'it rained' } : clause,
    ),
  });
  assert.match(
    text,
    /\nskipped wire\.framing\.json .*\n {8}skipped: it rained\nskipped .*\n {8}skipped: it rained\n/,
  );
});

test('after a wrong answer a must is not called advice, and faults that read the same are shown once', async (t) => {
  hygiene(t);
  const report = await runStaged(scenario('id-of-earlier-request'));
  const { clauses } = report;
  assert.match(
    reportText(report),
    /\n {8}expected: the id 3\n {8}seen: {5}the id 2 \(and 1 more\)\n {8}written:/,
  );
  const reasons = (level: string) =>
    new Set(clauses.flatMap((clause) => (clause.level === level ? (clause.reason ?? []) : [])));
  assert.equal(reasons('must').has('not looked at, because an earlier answer was wrong'), true);
  assert.equal(reasons('must').has('advice is given once nothing fails that a plugin must do'), false);
  assert.deepEqual([...reasons('should')], ['advice is given once nothing fails that a plugin must do']);
});

test('a report for programs has every clause with its verdict, and the same for equal runs', async (t) => {
  hygiene(t);
  const [first, second] = [
    reportJson(await runStaged(scenario('input-schema-pattern'))),
    reportJson(await runStaged(scenario('input-schema-pattern'))),
  ];
  assert.deepEqual(first, second);
  const { passed, counts, clauses } = first as {
    passed: boolean;
    counts: unknown;
    clauses: { id: string }[];
  };
  assert.equal(passed, false);
  assert.deepEqual(counts, { passed: 23, failed: 1, advice: 0, skipped: 41 });
  assert.deepEqual(
    clauses.find(({ id }) => id === 'wire.list.schema-keywords'),
    {
      id: 'wire.list.schema-keywords',
      level: 'must',
      verdict: 'failed',
      says: 'use no keyword that profile v1 does not have',
      page: 'docs/reference/native-plugin-protocol.md',
      heading: '7 Schema profile v1',
      faults: [
        {
          expected: 'keywords of profile v1',
          seen: 'tool 1 ("echo"): inputSchema at /properties/p: {"type":"string","pattern":"a"} (a Runner says schema_keyword_unsupported)',
        },
      ],
      faultCount: 1,
    },
  );
});

test('every fault of a list is told, where a Runner tells the first', async (t) => {
  hygiene(t);
  const bad = {
    ...scenario('well-behaved'),
    plays: {
      tools: () => [
        {
          name: 'a b',
          title: '',
          inputSchema: { type: 'object', properties: { x: { type: 'string', format: 'uri' } } },
        },
        { name: 'twice', inputSchema: { type: 'object' }, icon: 1 },
        { name: 'twice', inputSchema: { type: 'string' }, annotations: [] },
      ],
    },
  };
  const report = await runStaged(bad);
  assert.deepEqual(
    report.clauses.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id),
    [
      'wire.list.definition',
      'wire.list.name',
      'wire.list.unique-names',
      'wire.list.title',
      'wire.list.annotations',
      'wire.list.input-schema',
      'wire.list.schema-keywords',
    ],
  );
});

test('of many faults of one clause the first five are shown and all are counted', () => {
  const findings = new Findings();
  findings.pass('wire.framing.json');
  for (let index = 0; index < 7; index += 1)
    findings.fault({ clause: 'wire.framing.json', expected: 'JSON', seen: String(index) });
  const finding = findings.of('wire.framing.json', 'never');
  assert.equal(finding.verdict, 'failed');
  assert.deepEqual(
    finding.faults?.map(({ seen }) => seen),
    ['0', '1', '2', '3', '4'],
  );
  assert.equal(finding.faultCount, 7);
  assert.equal(findings.failed, true);
});

test('a report of many faults says how many more there are', async (t) => {
  hygiene(t);
  const bad = {
    ...scenario('well-behaved'),
    plays: { tools: () => Array.from({ length: 9 }, () => ({ name: '', inputSchema: { type: 'object' } })) },
  };
  assert.match(reportText(await runStaged(bad)), /\n {8}… and 4 more\n/);
});

test('what a plugin wrote is shown escaped and cut', () => {
  assert.equal(shownBytes(Buffer.from('a\tb\r\n\u001bé"\\')), 'a\\tb\\r\\n\\x1b\\xc3\\xa9"\\');
  assert.equal(shownBytes(Buffer.from('x'.repeat(200)), 4), 'xxxx… (200 bytes)');
  assert.equal(shownValue(undefined), 'nothing');
  assert.equal(shownValue({ a: 1 }), '{"a":1}');
});

test('where its table is too wide, the list of scenarios has two lines for each, of 80 columns at most', () => {
  const lines = scenarioListText(80).trimEnd().split('\n');
  assert.equal(lines.length, 2 * hostileScenarios.length);
  assert.deepEqual(
    lines.filter((line) => line.length > 80),
    [],
  );
  const at = lines.indexOf('never-answers: never answers a call');
  assert.equal(lines[at + 1], ' outcome_unknown plugin_timeout');
});

test('the list of scenarios reads as a table and as JSON', () => {
  const text = scenarioListText(Number.POSITIVE_INFINITY);
  assert.match(text, /^SCENARIO +A RUNNER ANSWERS +CLAUSE +THE PLUGIN\n/);
  assert.match(
    text,
    /\nanswers-then-dies +completed result, then plugin_eof +wire\.life\.goes-on +answers a call and ends\n/,
  );
  assert.match(text, /\nbanner +not_started plugin_malformed_json \(initialize\) /);
  const { scenarios } = scenarioListJson();
  assert.deepEqual(
    scenarios.find((row) => row.scenario === 'never-answers'),
    {
      scenario: 'never-answers',
      does: 'never answers a call',
      runner: { at: 'call', certainty: 'outcome_unknown', code: 'plugin_timeout', state: 'plugin_timeout' },
      clause: 'wire.call.answers',
      timeoutMs: 300,
    },
  );
});
