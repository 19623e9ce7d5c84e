import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hostedMachine } from './hosted-machine.ts';
import { failure, routedServer, success } from './loopback-server.ts';

const ID = 'ses_aaaaaaaaaaaaaaaaaaaaaa';
const PATH = `/api/sessions/${ID}`;
const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const SESSION: JsonObject = {
  id: ID,
  name: 'work',
  mode: 'normal',
  closed: false,
  agents: [
    { id: 'agt_1', name: 'fairlead' },
    { id: 'agt_2', name: 'helper' },
  ],
  model: 'demo/script',
  parent: null,
  running: null,
  createdAtMs: AT,
  lastAtMs: AT,
  workspace: '/srv/work',
};

const narrow = (text: string) => text.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '));

test('session list shows who takes part and what goes on', async (t) => {
  const { run, host } = hostedMachine(t);
  const sessions = [
    SESSION,
    { ...SESSION, id: 'ses_b', name: null, running: { turn: 'trn_1', state: 'tool', tool: 'shell' } },
    {
      ...SESSION,
      id: 'ses_c',
      name: 'x\u001b[2J',
      mode: 'read_only',
      running: { turn: 't', state: 'model' },
    },
    {
      ...SESSION,
      id: 'ses_d',
      name: null,
      closed: true,
      parent: { session: ID },
      agents: [],
      lastAtMs: null,
    },
  ];
  const server = await routedServer(t, {
    'GET /api/sessions': () => success({ sessions: sessions.slice(0, 3) }),
    'GET /api/sessions?closed=true': () => success({ sessions }),
  });
  await host(server.url);
  const { exit, stdout, stderr } = await run('session', 'list', '--closed');
  assert.deepEqual([exit, stderr], [0, '']);
  assert.deepEqual(narrow(stdout), [
    'SESSION  NAME  AGENTS  STATE  LAST USED',
    `${ID}  work  fairlead, helper  idle  2026-01-02T03:04:05Z`,
    'ses_b  -  fairlead, helper  tool shell  2026-01-02T03:04:05Z',
    'ses_c  x [2J  fairlead, helper  read_only, turn: model  2026-01-02T03:04:05Z',
    'ses_d  -  -  closed, of another session  -',
    '',
  ]);
  const json = await run('session', 'list', '--json');
  assert.deepEqual(JSON.parse(json.stdout), { sessions: sessions.slice(0, 3) });
  assert.equal(server.requests[0]?.authorization, 'Bearer fairlead_pat_operator');
});

test('an empty list says how a session comes to be', async (t) => {
  const { run, host } = hostedMachine(t);
  const server = await routedServer(t, { 'GET /api/sessions': () => success({ sessions: [] }) });
  await host(server.url);
  assert.match(
    (await run('session', 'list')).stdout,
    /^there is no session; say something: .*fairlead run .*"hello"\n$/,
  );
});

const from = { kind: 'agent', id: 'agt_1', name: 'fairlead' };
const ENTRIES: readonly JsonObject[] = [
  { type: 'turn_end', status: 'completed' },
  { type: 'message', text: 'It is done.\n\u001b[31mred', final: true },
  { type: 'approval_decision', approval: 'apr_1', decision: 'approved', by: 'person:tok_1' },
  { type: 'approval_request', approval: 'apr_1', tool: 'shell' },
  { type: 'tool_settled', call: 'call_1', certainty: 'completed' },
  {
    type: 'tool_result',
    call: 'call_1',
    certainty: 'outcome_unknown',
    code: 'tool_timeout',
    text: 'no word',
  },
  { type: 'tool_call', call: 'call_1', tool: 'shell', arguments: { command: 'ls' } },
  { type: 'error', code: 'model_denied', text: 'The back end refuses the key.' },
  { type: 'summary', text: 'Long ago.' },
  { type: 'ack', turn: 'trn_1', model: 'demo/script' },
  { type: 'unknown', of: 'later_kind', from: null },
  { type: 'message', text: '', from: { kind: 'person', id: 'tok_1' } },
  { type: 'directive', text: 'Do it.', from: { kind: 'schedule', id: 'nightly' } },
].map((entry, index) => ({ id: `r${index}`, at: AT, from, ...entry }));

test('session show tells the entries as they happened, the oldest of the page first', async (t) => {
  const { run, host } = hostedMachine(t);
  const server = await routedServer(t, {
    'GET /api/sessions?name=work': () => success({ sessions: [SESSION] }),
    [`GET ${PATH}`]: () => success(SESSION),
    [`GET ${PATH}/entries?limit=20`]: () => success({ entries: [...ENTRIES], before: 'r12' }),
    [`GET ${PATH}/entries?limit=5&before=r12`]: () => success({ entries: [], before: null }),
  });
  await host(server.url);
  const { exit, stdout, stderr } = await run('session', 'show', 'work');
  assert.equal(exit, 0);
  const at = '2026-01-02T03:04:05Z';
  assert.deepEqual(narrow(stdout), [
    `session:  ${ID}`,
    'name:  work',
    'agents:  fairlead, helper',
    'model:  demo/script',
    'mode:  normal',
    'state:  idle',
    'workspace:  /srv/work',
    '',
    `${at}  schedule nightly`,
    '  Do it.',
    `${at}  person tok_1`,
    `${at}  somebody  later_kind`,
    `${at}  fairlead  begins trn_1 with demo/script`,
    `${at}  fairlead  summary of what stands before`,
    '  Long ago.',
    `${at}  fairlead  The back end refuses the key. (model_denied)`,
    `${at}  fairlead  calls shell {"command":"ls"}`,
    `${at}  fairlead  outcome_unknown (tool_timeout)`,
    '  no word',
    `${at}  fairlead  learnt of call_1: completed`,
    `${at}  fairlead  asks for shell (apr_1)`,
    `${at}  fairlead  approved by person:tok_1`,
    `${at}  fairlead`,
    '  It is done.',
    '  [31mred',
    `${at}  fairlead  turn completed`,
    '',
  ]);
  assert.match(stderr, /^older ones: .*session show.* work --before r12\n$/);
  const json = await run('session', 'show', ID, '--limit', '5', '--before', 'r12', '--json');
  assert.deepEqual(JSON.parse(json.stdout), { session: SESSION, entries: [], before: null });
});

test('session new, continue, cancel and close each print what came of it', async (t) => {
  const { run, host, folder } = hostedMachine(t);
  let cancelled = true;
  const agents: string[] = ['fairlead', 'helper'];
  const server = await routedServer(t, {
    'POST /api/sessions': () => success(SESSION),
    'GET /api/admin/status': () => success({ agents: { agents, model: null } }),
    [`POST ${PATH}/continue`]: () => success({ turn: 'trn_2' }),
    [`POST ${PATH}/cancel`]: () => success({ cancelled }),
    [`PATCH ${PATH}`]: () => success({ ...SESSION, closed: true }),
  });
  await host(server.url);
  assert.equal(
    (await run('session', 'new', '--agent', 'fairlead', '--agent', 'helper', '--name', 'work')).stdout,
    `${ID}\n`,
  );
  assert.deepEqual(server.requests[0]?.body, {
    agents: ['fairlead', 'helper'],
    workspace: folder,
    name: 'work',
  });
  const made = await run('session', 'new', '--workspace', 'sub', '--mode', 'inspect', '--json');
  assert.equal(JSON.parse(made.stdout).id, ID);
  const inspected = { workspace: `${folder}/sub`, mode: 'inspect' };
  assert.deepEqual(server.requests[2]?.body, { agents: ['fairlead'], ...inspected });
  agents.length = 0;
  await run('session', 'new');
  assert.deepEqual(server.requests[4]?.body, { agents: [], workspace: folder });
  assert.equal((await run('session', 'continue', ID)).stdout, 'goes on as trn_2\n');
  assert.equal((await run('session', 'cancel', ID)).stdout, 'cancelled\n');
  cancelled = false;
  assert.equal((await run('session', 'cancel', ID)).stdout, 'nothing runs there\n');
  assert.equal((await run('session', 'close', ID)).stdout, `closed ${ID}\n`);
  assert.deepEqual(server.requests.at(-1)?.body, { closed: true });
});

test('session export prints each line as it comes, and nothing that could drive a terminal', async (t) => {
  const { run, host } = hostedMachine(t);
  const lines = '{"format":"fairlead-session-v1"}\n{"text":"a\u0085b"}\n';
  const server = await routedServer(t, {
    [`GET ${PATH}/export`]: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      const bytes = Buffer.from(lines);
      const cut = bytes.indexOf(0x85);
      response.write(bytes.subarray(0, cut));
      setImmediate(() => response.end(bytes.subarray(cut)));
      return null;
    },
    'GET /api/sessions/ses_bbbbbbbbbbbbbbbbbbbbbb/export': (_, response) => {
      response.writeHead(400);
      return failure('session_unknown', 'not_started');
    },
    'GET /api/sessions/ses_cccccccccccccccccccccc/export': (_, response) => {
      response.writeHead(500).end('<html>');
      return null;
    },
    'GET /api/sessions/ses_dddddddddddddddddddddd/export': (_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{}\n', () => response.destroy());
      return null;
    },
  });
  await host(server.url);
  assert.deepEqual(await run('session', 'export', ID), {
    exit: 0,
    stdout: '{"format":"fairlead-session-v1"}\n{"text":"a\\u0085b"}\n',
    stderr: '',
  });
  const refused = await run('session', 'export', 'ses_bbbbbbbbbbbbbbbbbbbbbb');
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /\(session_unknown\)/);
  assert.match(
    (await run('session', 'export', 'ses_cccccccccccccccccccccc')).stderr,
    /\(read_lost\)\n {2}reason: HTTP 500/,
  );
  assert.match((await run('session', 'export', 'ses_dddddddddddddddddddddd')).stderr, /\(read_lost\)/);
});

test('a name that no session has is told before anything is asked of one, and so is a missing host', async (t) => {
  const { run, host } = hostedMachine(t);
  for (const args of [['list'], ['show', 'x'], ['export', 'x'], ['export', ID]]) {
    const { exit, stderr } = await run('session', ...args);
    assert.equal(exit, 1);
    assert.match(stderr, /\(host_not_running\)/);
  }
  const server = await routedServer(t, { 'GET /api/sessions?name=nobody': () => success({ sessions: [] }) });
  await host(server.url);
  for (const args of [['show'], ['export'], ['continue'], ['cancel'], ['close']]) {
    const { exit, stderr } = await run('session', ...args, 'nobody');
    assert.equal(exit, 1);
    assert.match(stderr, /\(no_such_session\)/);
  }
});

test('ext add and remove say the line in the session, and a refusal with its usage', async (t) => {
  const { run, host } = hostedMachine(t);
  const answers: Json[] = [
    success({ text: 'notes is on in this session.', data: { name: 'notes', changed: true } }),
    success({ text: 'notes is off for fairlead, in every session.', data: { name: 'notes' } }),
    success({ text: 'x' }),
    failure('extension_unknown', 'completed', { detail: { usage: '/extensions add <name>' } }),
  ];
  const server = await routedServer(t, {
    [`POST ${PATH}/command`]: () => answers.shift() ?? null,
  });
  await host(server.url);
  assert.equal((await run('ext', 'add', 'notes', '--session', ID)).stdout, 'notes is on in this session.\n');
  assert.match(
    (await run('ext', 'remove', 'notes', '--session', ID, '--agent')).stdout,
    /every session\.\n$/,
  );
  assert.equal((await run('ext', 'add', 'a "b\\', '--session', ID, '--json')).stdout, 'null\n');
  const refused = await run('ext', 'add', 'nots', '--session', ID);
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /\(extension_unknown\)\n {2}usage: \/extensions add <name>\n/);
  assert.deepEqual(
    server.requests.map(({ body }) => (body as JsonObject)['line']),
    [
      '/extensions add notes',
      '/extensions remove notes agent',
      '/extensions add "a \\"b\\\\"',
      '/extensions add nots',
    ],
  );
  assert.equal((await run('ext', 'add', 'x')).exit, 2);
});

test('wrong values of flags are usage errors', async (t) => {
  const { run } = hostedMachine(t);
  for (const args of [
    ['session', 'show', 'x', '--limit', '0'],
    ['session', 'show', 'x', '--limit', '201'],
    ['session', 'new', '--mode', 'careful'],
    ['session', 'show'],
  ])
    assert.equal((await run(...args)).exit, 2, args.join(' '));
});
