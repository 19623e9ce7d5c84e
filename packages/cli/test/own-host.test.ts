// Commands that are a host themselves where none runs.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { repositoryRoot } from '@fairlead/testing';
import { hostedMachine } from './hosted-machine.ts';

const TURNS: readonly JsonObject[] = [
  {
    steps: [
      { text: 'I write.', calls: [{ tool: 'write_file', arguments: { path: 'a.txt', content: 'a' } }] },
      { text: 'Done.' },
    ],
  },
  { steps: [{ text: 'Again.' }] },
];

function machine(t: NodeTest, agents = '') {
  const place = hostedMachine(t);
  mkdirSync(place.state, { mode: 0o700 });
  const script = { format: 'fairlead-script-v1', scripts: { default: TURNS } };
  writeFileSync(join(place.state, 'demo.json'), JSON.stringify(script));
  writeFileSync(
    join(place.state, 'fairlead.toml'),
    `[[backends]]\nname = "demo"\ntype = "scripted"\nfile = "demo.json"\n${agents}`,
  );
  return place;
}

test('a run without a host answers, says once what turns may cost, and leaves no address', async (t) => {
  const { run, state, folder } = machine(t);
  const first = await run('run', 'hello', '--session', 'work', '--approve', 'write_file');
  assert.deepEqual([first.exit, first.stdout], [0, 'Done.\n']);
  assert.match(first.stderr, /^fairlead: A turn stops at 1,000,000 tokens or 2\.00 USD\.\n/);
  assert.match(
    first.stderr,
    /\nfairlead: I write\.\nfairlead: calls write_file\nfairlead: write_file: completed in \d+ ms\n$/,
  );
  assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'a');
  const second = await run(
    'run',
    'go on',
    '--session',
    'work',
    '--model',
    'demo/script',
    '--timeout',
    '60',
    '--json',
  );
  assert.deepEqual([second.exit, second.stderr], [0, '']);
  const { session, text } = JSON.parse(second.stdout) as { session: string; text: string };
  assert.equal(text, 'Again.');
  const third = await run('run', 'once more', '--session', session, '--agent', 'fairlead');
  assert.equal(third.exit, 1);
  assert.match(third.stderr, /\(script_mismatch\)/);
  assert.equal(existsSync(join(state, 'server.json')), false);
});

test('a run without a host with a model or a session that is none leaves no session behind', async (t) => {
  const { run } = machine(t);
  assert.match((await run('run', 'hello', '--model', 'x/y')).stderr, /\(model_unknown\)\n {2}next: /);
  for (const none of ['ses_short', `ses_${'a'.repeat(43)}`])
    assert.match((await run('run', 'hello', '--session', none)).stderr, /\(session_unknown\)\n/, none);
  assert.deepEqual(JSON.parse((await run('session', 'list', '--json')).stdout), { sessions: [] });
});

test('a run without a host that was paused, or with a name that two sessions have, makes none and says in none', async (t) => {
  const { run } = machine(t);
  assert.equal((await run('run', 'hello', '--model', 'x/y')).exit, 1);
  const made = [await run('session', 'new', '--name', 'dup'), await run('session', 'new', '--name', 'dup')];
  const ids = made.map(({ stdout }) => stdout.trim());
  const twice = await run('run', 'hello', '--session', 'dup');
  assert.equal(twice.exit, 1);
  assert.match(
    twice.stderr,
    /\(session_ambiguous\)\n {2}sessions: (ses_\S{43}), (ses_\S{43})\n {2}next: Give the id /,
  );
  for (const id of ids) assert.ok(twice.stderr.includes(id));
  assert.equal((await run('pause')).exit, 0);
  const paused = await run('run', 'hello', '--session', 'new');
  assert.equal(paused.exit, 1);
  assert.match(
    paused.stderr,
    /^fairlead: The host is paused: .*\(host_paused\)\n {2}next: Use `fairlead resume` /m,
  );
  const { sessions } = JSON.parse((await run('session', 'list', '--json')).stdout) as {
    sessions: { id: string }[];
  };
  assert.deepEqual(sessions.map(({ id }) => id).sort(), ids.sort());
});

test('a session made without an agent has the first one, and goes on', async (t) => {
  const { run } = machine(t, '[[agents]]\nname = "zoe"\n[[agents]]\nname = "adam"\n');
  assert.equal((await run('run', 'hello', '--approve', 'write_file')).exit, 0);
  assert.equal((await run('session', 'new', '--name', 'dup')).exit, 0);
  const { exit, stdout } = await run('run', 'hello', '--session', 'dup');
  assert.deepEqual([exit, stdout], [0, 'Done.\n']);
  const adam = await run('run', 'hello', '--session', 'dup', '--agent', 'adam');
  assert.match(adam.stderr, /\(agent_not_attached\)\n {2}next: .*`fairlead session new --agent NAME`/);
});

test('the first agent of the file answers, and another where it is named', async (t) => {
  const { run } = machine(t, '[[agents]]\nname = "zoe"\n[[agents]]\nname = "adam"\n');
  const { stdout } = await run('run', 'hello', '--session', 'a', '--json');
  assert.equal(JSON.parse(stdout).status, 'completed');
  assert.equal((await run('run', 'hello', '--session', 'b', '--agent', 'adam')).exit, 0);
  const listed = JSON.parse((await run('session', 'list', '--json')).stdout) as {
    sessions: { name: string; agents: { name: string }[] }[];
  };
  assert.deepEqual(
    listed.sessions.map(({ name, agents }) => [name, ...agents.map((agent) => agent.name)]).sort(),
    [
      ['a', 'zoe'],
      ['b', 'adam'],
    ],
  );
});

test('what stands in sessions is read, and changed, without a host', async (t) => {
  const { run, state } = machine(t);
  assert.match((await run('session', 'list')).stderr, /\(host_not_running\)/);
  await run('run', 'hello', '--session', 'work');
  const shown = await run('session', 'show', 'work');
  assert.match(shown.stdout, /\n {2}Done\.\n.* turn completed\n$/);
  assert.match((await run('session', 'export', 'work')).stdout, /^\{"format":"fairlead-session-v1",/);
  assert.equal(
    (await run('ext', 'remove', 'fs', '--session', 'work')).stdout,
    'fs is off in this session.\n',
  );
  assert.equal((await run('pause')).exit, 0);
  const paused = await run('run', 'hello', '--session', 'work');
  assert.equal(paused.exit, 1);
  assert.match(paused.stderr, /\(host_paused\)/);
  assert.equal((await run('resume')).stdout, 'resumed\n');
  assert.equal((await run('session', 'close', 'work')).stdout, 'closed work\n');
  const id = (await run('session', 'new', '--name', 'next', '--agent', 'fairlead')).stdout.trim();
  assert.match(id, /^ses_/);
  assert.match((await run('session', 'continue', id)).stderr, /\(host_not_running\)/);
  assert.equal(existsSync(join(state, 'server.json')), false);
});

test('a folder of the file is loaded before anything is done with it, and nothing of it stays', async (t) => {
  const folder = join(repositoryRoot, 'examples/extensions/noticeboard');
  const { run } = machine(t, `[[extensions.path]]\npath = ${JSON.stringify(folder)}\n`);
  assert.equal((await run('run', 'hello', '--session', 'work')).exit, 0);
  const { exit, stdout } = await run('session', 'export', 'work');
  assert.equal(exit, 0);
  assert.match(stdout, /"type":"turn_end"/);
});
