import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { hostedMachine } from '../hosted-machine.ts';
import { routedServer, success } from '../loopback-server.ts';
import { playedTerminal } from './played-terminal.ts';

const STATUS = (model: string | null) => ({
  'GET /api/admin/status': () => success({ agents: { agents: ['ada'], model } }),
});

test('without a host it says how to start one, and what it would be like', async (t) => {
  const { run } = hostedMachine(t);
  const { exit, stdout, stderr } = await run('chat');
  assert.deepEqual([exit, stdout], [1, '']);
  assert.match(stderr, /see what it is like without a host or a model: .*fairlead chat --demo\n/);
  assert.match(stderr, /No host runs on this state directory\. \(host_not_running\)/);
});

test('without a model it says so; nobody is asked where nobody can answer', async (t) => {
  const { run, host } = hostedMachine(t);
  const server = await routedServer(t, STATUS(null));
  await host(server.url);
  const { exit, stderr } = await run('chat');
  assert.equal(exit, 1);
  assert.match(stderr, /see what it is like without a model: .*chat --demo\n.*\(model_missing\)/);
});

test('at a terminal the demo is offered, and a no is taken', async (t) => {
  const { input, output, type } = playedTerminal();
  const { run, host } = hostedMachine(t, { streams: { input, output } });
  const server = await routedServer(t, STATUS(null));
  await host(server.url);
  type('n\n');
  const { exit, stderr } = await run('chat');
  assert.equal(exit, 1);
  assert.match(
    stderr,
    /This host has no model yet[\s\S]*Add one: {2}.*model add[\s\S]*Enter for yes, n for no/,
  );
});

test('the demo is a host of its own that is gone afterwards, with all that it wrote', async (t) => {
  const input = new PassThrough();
  input.end('hello\n');
  const { run, state } = hostedMachine(t, { streams: { input, output: new PassThrough() } });
  const { exit, stdout, stderr } = await run('chat', '--demo');
  assert.equal(exit, 0, stderr);
  assert.match(stdout, /^That was all of it\./);
  assert.match(stderr, /fairlead: get_time: completed · /);
  assert.match(stderr, /nobody is there to decide: write_file is denied\n/);
  assert.equal(existsSync(state), false);
  assert.deepEqual(
    readdirSync(process.env['TMPDIR'] ?? '').filter((name) => name.startsWith('fairlead-demo')),
    [],
  );
});

test('without the script there is no demo, and nothing is left of the attempt', async (t) => {
  const { folder, context, run } = hostedMachine(t);
  Object.assign(context, { cloneRoot: folder });
  const { exit, stderr } = await run('chat', '--demo');
  assert.equal(exit, 1);
  assert.match(stderr, /\(demo_missing\)/);
});

test('on a terminal it draws, and says how one comes back', async (t) => {
  const { input, output, type, written } = playedTerminal();
  const { run, host, context } = hostedMachine(t, { streams: { input, output } });
  const id = 'ses_aaaaaaaaaaaaaaaaaaaaaa';
  const path = `/api/sessions/${id}`;
  const server = await routedServer(t, {
    ...STATUS('demo/script'),
    'POST /api/sessions': () => success({ id }),
    [`GET ${path}`]: () => success({ id, name: null, agents: [], mode: 'normal', running: null }),
    [`GET ${path}/entries`]: () => success({ entries: [], before: null }),
    [`POST ${path}/command`]: () => success({ text: '', quit: true }),
    [`GET ${path}/stream`]: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: ping\ndata: {}\n\n');
      return null;
    },
  });
  await host(server.url);
  Object.assign(context.env, { LANG: 'C.UTF-8', NO_COLOR: '1' });
  type('/quit\r');
  const { exit, stderr } = await run('chat', '--new');
  assert.equal(exit, 0, stderr);
  assert.match(stderr, /^The session stays: .*fairlead chat .*--session ses_a{22}\n$/);
  assert.match(written(), /› \/quit/);
});
