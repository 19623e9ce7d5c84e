import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { benches } from '../bench/benches/index.ts';
import { runBenches } from '../bench/harness/run-benches.ts';

// What the figures say is for a quiet machine; here it only matters that there are figures, and that nothing is left.
test('the benches of a call measure the real product and leave nothing behind', async (t) => {
  hygiene(t);
  const file = join(temporaryFolder(t), 'bench.json');
  const ignore = () => {};
  await runBenches(
    ['--only', 'calls,http,mcp-http,mcp-stdio', '--quick', '--no-peers', '--seed', '1', '--json', file],
    benches,
    {
      out: ignore,
      err: ignore,
      freshSeed: () => 1,
      signal: new AbortController().signal,
    },
  );
  const report = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(report.failures, []);
  assert.deepEqual(
    report.rows.map((row: { name: string; goal: number | null }) => [row.name, row.goal]),
    [
      ['Runner call against a bare pipe', 1.5],
      ['Runner call against the MCP SDK', 0.5],
      ['/api/tools/call against the sum of its floors', 1.6],
      ['… against the same floors, each in a loop of its own', null],
      ['/mcp, 2026-07-28, against 1.5 HTTP routes and the official packages', 1],
      ['/mcp, 2025-11-25, against 1.5 HTTP routes and the official packages', 1],
      ['… and the HTTP route alone', null],
      ['list over stdio against the MCP SDK’s echo and the HTTP route', 2],
      ['call over stdio against the MCP SDK’s echo and the HTTP route', 1.5],
      ['list over stdio against the MCP SDK’s echo alone', null],
      ['call over stdio against the MCP SDK’s echo alone', null],
    ],
  );
  for (const row of report.rows) assert.ok(row.ratio > 0 && row.baseline > 0, JSON.stringify(row));
});

test('Fairlead is measured beside what a test may start, and what is left out is told', async (t) => {
  hygiene(t);
  const file = join(temporaryFolder(t), 'bench.json');
  const ignore = () => {};
  const args = ['--only', 'peers,schedules', '--quick', '--no-peers', '--seed', '1', '--json', file];
  await runBenches(args, benches, {
    out: ignore,
    err: ignore,
    freshSeed: () => 1,
    signal: new AbortController().signal,
  });
  const report = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(report.failures, []);
  assert.deepEqual(
    report.rows.map((row: { name: string; goal: number | null }) => [row.name, row.goal]),
    [
      ['Fairlead Runner, against bare pipe', null],
      ['Fairlead Runner, 8 at once, against bare pipe', null],
      ['Fairlead Runner, against MCP SDK v1, stdio', null],
      ['Fairlead Runner, 8 at once, against MCP SDK v1, stdio', null],
      ['Fairlead Runner, against MCP SDK v2, stdio', null],
      ['Fairlead Runner, 8 at once, against MCP SDK v2, stdio', null],
      ['reading a trigger, against croner reading its pattern', null],
      ['its next due time, against croner reading the pattern and saying it', null],
      ['… against an object of croner’s that is kept, 80 KiB each', null],
      ['what is due of the 289 slots of a day, against croner saying them one by one', null],
    ],
  );
  for (const row of report.rows) assert.ok(row.ratio > 0 && row.baseline > 0, JSON.stringify(row));
  const rates = report.measurements.filter(({ unit }: { unit: string }) => unit === '1/s');
  assert.equal(rates.length, 14);
  // What is measured beside Fairlead is installed by a run of its own, not by a test.
  assert.deepEqual(
    report.skipped.map(({ bench, name }: { bench: string; name: string }) => `${bench}: ${name}`),
    [
      'peers: Fairlead Runner, against Extism',
      'peers: Fairlead Runner, 8 at once, against Extism',
      'peers: Fairlead, HTTP, against supergateway',
      'peers: Fairlead, HTTP, 8 at once, against supergateway',
      'peers: Fairlead, /mcp, against supergateway',
      'peers: Fairlead, /mcp, 8 at once, against supergateway',
    ],
  );
  for (const { reason } of report.skipped) assert.equal(reason, '--no-peers was given');
});

test('the bench of settling loses answers, finds out what they were, and leaves nothing behind', async (t) => {
  hygiene(t);
  const file = join(temporaryFolder(t), 'bench.json');
  const ignore = () => {};
  await runBenches(['--only', 'settling', '--quick', '--seed', '1', '--json', file], benches, {
    out: ignore,
    err: ignore,
    freshSeed: () => 1,
    signal: new AbortController().signal,
  });
  const report = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(report.failures, []);
  const [one, eight, middle] = report.rows;
  assert.deepEqual([one.goal, one.goalOf, eight.goal, middle.goal], [100, 'limit', 100, null]);
  for (const row of report.rows) assert.ok(row.p50 > 0, JSON.stringify(row));
});

test('the bench of models reads a reply as a raw client does, piece by piece', async (t) => {
  hygiene(t);
  const file = join(temporaryFolder(t), 'bench.json');
  const ignore = () => {};
  await runBenches(['--only', 'models', '--quick', '--seed', '1', '--json', file], benches, {
    out: ignore,
    err: ignore,
    freshSeed: () => 1,
    signal: new AbortController().signal,
  });
  const report = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(report.failures, []);
  assert.deepEqual(
    report.rows.map(({ name, goal, goalOf }: Record<string, unknown>) => [name, goal, goalOf]),
    [['a piece of a reply, against a raw client', 1, 'difference']],
  );
});

test('the benches of turns take turns, one after another and 200 at once', async (t) => {
  hygiene(t);
  const file = join(temporaryFolder(t), 'bench.json');
  const ignore = () => {};
  await runBenches(['--only', 'turn,turns-at-once', '--quick', '--seed', '1', '--json', file], benches, {
    out: ignore,
    err: ignore,
    freshSeed: () => 1,
    signal: new AbortController().signal,
  });
  const report = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(report.failures, []);
  assert.deepEqual(
    report.rows.map(({ goal, goalOf }: Record<string, unknown>) => [goal, goalOf]),
    [
      [null, null],
      [5, 'limit'],
      [1.3, 'ratio'],
      [1, 'limit'],
      [null, null],
      [null, null],
      [null, null],
      [1, 'limit'],
    ],
  );
});

test('the bench of routines loads them, fires them and takes one in', async (t) => {
  hygiene(t);
  const file = join(temporaryFolder(t), 'bench.json');
  const ignore = () => {};
  await runBenches(['--only', 'routines', '--quick', '--seed', '1', '--json', file], benches, {
    out: ignore,
    err: ignore,
    freshSeed: () => 1,
    signal: new AbortController().signal,
  });
  const report = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(report.failures, []);
  assert.deepEqual(
    report.rows.map(({ name, goal, goalOf }: Record<string, unknown>) => [name, goal, goalOf]),
    [
      ['loading 100,000 routines', 1500, 'limit'],
      ['what they keep of memory', 60, 'limit'],
      ['… what the process grew by, room for garbage with it', null, null],
      ['lateness at 50 firings a second, the slowest of a hundred', 20, 'limit'],
      ['… of one firing', null, null],
      ['taking in one more, beyond its commit', 1, 'limit'],
    ],
  );
  // Each second of firing gives its figures, whatever they are on a machine that does other things.
  const late = report.measurements.find(({ name }: { name: string }) => name === 'late');
  assert.ok(late.samples > 0, JSON.stringify(late));
});

test('bench/README.md has a row for every bench and for no other', () => {
  const readme = readFileSync(join(repositoryRoot, 'bench/README.md'), 'utf8');
  const from = readme.indexOf('| bench ');
  const table = readme.slice(from, readme.indexOf('\n\n', from));
  const named = [...table.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name]) => name);
  assert.deepEqual(named.sort(), benches.map(({ name }) => name).sort());
});

test('every bench has a name of its own, which --only takes', () => {
  const names = benches.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z-]+$/);
});
