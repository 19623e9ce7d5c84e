import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hygiene, pidIsAlive, temporaryFolder, waitFor } from '@fairlead/testing';

const HOSTILE = join(import.meta.dirname, '../bin/fairlead-hostile-plugin.ts');
const HANG_MS = 30_000;

const HELLO =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v1"}}\n';
const HELLO_ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"webcodex-plugin-v1"}}\n';
const LIST = '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}\n';
const CALL = '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{}}}\n';

type Started = {
  readonly child: ChildProcess;
  readonly said: { stdout: string; stderr: string };
  readonly ended: Promise<number | null>;
  type(text: string): void;
};

/** Run by path, as anybody would run it. */
function start(t: TestContext, args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const child = spawn(process.execPath, [HOSTILE, ...args], { env: { ...process.env, ...env } });
  t.after(() => child.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk.toString('latin1');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk.toString('latin1');
  });
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, said, ended, type: (text) => void child.stdin.write(text) };
}

function saying(started: Started, text: string): Promise<unknown> {
  return waitFor(() => started.said.stdout.includes(text), { what: `${text} on stdout`, timeoutMs: HANG_MS });
}

test('by path it is a plugin that answers and ends with its stdin', async (t) => {
  hygiene(t);
  const plugin = start(t, ['well-behaved']);
  plugin.type(HELLO);
  await saying(plugin, HELLO_ANSWER);
  plugin.child.stdin?.end();
  assert.equal(await plugin.ended, 0);
  assert.equal(plugin.said.stderr, '');
});

test('with a record it writes down what it reads, and goes on when its stdin ends', async (t) => {
  hygiene(t);
  const record = join(temporaryFolder(t), 'record');
  const plugin = start(t, ['well-behaved', record]);
  plugin.type(HELLO);
  await saying(plugin, HELLO_ANSWER);
  plugin.child.stdin?.end(LIST);
  await saying(plugin, '"id":2');
  assert.equal(readFileSync(record, 'utf8'), HELLO + LIST);
  assert.deepEqual(readFileSync(`${record}.pids`, 'utf8'), `${plugin.child.pid}\n`);
  assert.equal(pidIsAlive(plugin.child.pid ?? 0), true);
  plugin.child.kill('SIGTERM');
  assert.equal(await plugin.ended, null);
});

test('the record may come from HOSTILE_RECORD', async (t) => {
  hygiene(t);
  const record = join(temporaryFolder(t), 'record');
  const plugin = start(t, [], { HOSTILE_RECORD: record });
  plugin.type(HELLO);
  await saying(plugin, HELLO_ANSWER);
  assert.equal(readFileSync(record, 'utf8'), HELLO);
  plugin.child.kill('SIGTERM');
  await plugin.ended;
});

test('it lists its scenarios for people and for programs, and knows no other', async (t) => {
  hygiene(t);
  const [people, programs] = [start(t, ['--list']), start(t, ['--list', '--json'])];
  assert.deepEqual(await Promise.all([people.ended, programs.ended]), [0, 0]);
  assert.match(people.said.stdout, /^SCENARIO +A RUNNER ANSWERS/);
  assert.equal(JSON.parse(programs.said.stdout).scenarios[0].scenario, 'well-behaved');
});

test('a misspelt scenario is answered with the one that was probably meant, and with the way to the list', async (t) => {
  hygiene(t);
  const [near, far] = [start(t, ['baner']), start(t, ['no-such-scenario'])];
  assert.deepEqual(await Promise.all([near.ended, far.ended]), [2, 2]);
  assert.deepEqual(
    [near.said.stderr, far.said.stderr],
    [
      'No scenario is called baner. Did you mean banner? `fairlead-hostile-plugin --list` shows them all.\n',
      'No scenario is called no-such-scenario. `fairlead-hostile-plugin --list` shows them all.\n',
    ],
  );
});

test('it says how it is called, and takes that question for no scenario', async (t) => {
  hygiene(t);
  for (const flag of ['--help', '-h']) {
    const help = start(t, [flag]);
    assert.equal(await help.ended, 0);
    assert.match(help.said.stdout, /^usage: fairlead-hostile-plugin \[SCENARIO \[RECORD\]\]\n/);
    assert.equal(help.said.stderr, '');
  }
});

test('what the hostile plugin is made of comes from Node and its own package, types too', () => {
  const folder = join(import.meta.dirname, '../src/hostile');
  for (const file of readdirSync(folder)) {
    for (const [, from] of readFileSync(join(folder, file), 'utf8').matchAll(/\bfrom '([^']+)'/g))
      assert.match(String(from), /^(node:|\.\/|\.\.\/clauses\/clauses\.ts$)/, file);
  }
});

test('what a scenario starts is written down, and belongs to whoever runs it', async (t) => {
  hygiene(t);
  for (const scenario of ['forks-setsid', 'double-forks']) {
    const record = join(temporaryFolder(t), scenario);
    const plugin = start(t, [scenario, record]);
    plugin.type(HELLO + LIST + CALL);
    await saying(plugin, '"id":3');
    const [own, child = 0] = readFileSync(`${record}.pids`, 'utf8').trim().split('\n').map(Number);
    assert.equal(own, plugin.child.pid);
    assert.equal(pidIsAlive(child), true);
    plugin.child.kill('SIGTERM');
    await plugin.ended;
    assert.equal(pidIsAlive(child), true);
    process.kill(child, 'SIGKILL');
    await waitFor(() => !pidIsAlive(child), { what: 'the end of what it started', timeoutMs: HANG_MS });
  }
});

test('its streams are its own to close, and it can be deaf', async (t) => {
  hygiene(t);
  const silent = start(t, ['closes-stdout-on-call']);
  silent.type(HELLO + LIST + CALL);
  await new Promise((resolve) => silent.child.stdout?.once('end', resolve));
  silent.child.stdin?.end();
  assert.equal(await silent.ended, 0);

  const closed = start(t, ['closes-stdin']);
  closed.type(HELLO + LIST);
  await saying(closed, '"id":2');
  closed.child.kill('SIGTERM');
  await closed.ended;

  const deaf = start(t, ['stops-reading']);
  deaf.type(HELLO + LIST);
  await saying(deaf, '"id":2');
  deaf.type(CALL);
  deaf.child.kill('SIGTERM');
  await deaf.ended;
  assert.equal(deaf.said.stdout.includes('"id":3'), false);

  const stubborn = start(t, ['ignores-sigterm']);
  stubborn.type(HELLO);
  await saying(stubborn, HELLO_ANSWER);
  stubborn.child.kill('SIGTERM');
  stubborn.type(LIST);
  await saying(stubborn, '"id":2');
  stubborn.child.stdin?.end();
  assert.equal(await stubborn.ended, 0);
});

test('an answer that comes late comes, and a flood comes whole', async (t) => {
  hygiene(t);
  const late = start(t, ['answers-late']);
  late.type(HELLO + LIST + CALL.replace('{}}}', '{"afterMs":5}}}'));
  await saying(late, 'late');
  late.child.stdin?.end();
  await late.ended;
  const flood = start(t, ['frame-of-1-mib']);
  flood.type(HELLO + LIST + CALL);
  await saying(flood, `p"}\n`);
  flood.child.stdin?.end();
  await flood.ended;
  const answer = flood.said.stdout.split('\n')[2] ?? '';
  assert.equal(answer.length, 1_048_576);
});
