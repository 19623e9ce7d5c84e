import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { manualClock, waitFor } from '@fairlead/testing';
import { EventParser, type StreamEvent } from '../src/client/event-stream.ts';
import { RunProgress } from '../src/commands/run/run-progress.ts';
import { hostedMachine } from './hosted-machine.ts';
import { type ApiServer, failure, routedServer, success } from './loopback-server.ts';

const ID = 'ses_aaaaaaaaaaaaaaaaaaaaaa';
const PATH = `/api/sessions/${ID}`;
const REPORT: JsonObject = {
  session: ID,
  turn: 'trn_1',
  status: 'completed',
  code: null,
  text: 'It is done.\n',
  usage: { input: 10, output: 2 },
  nanousd: null,
  calls: [],
};
const STATUS = success({ runners: [], agents: { agents: ['fairlead', 'helper'], model: 'demo/script' } });
const CALL = { call: 'call_1', tool: 'shell', certainty: 'completed', code: null, ms: 12 };

type Routes = Parameters<typeof routedServer>[1];

/** A host that answers one run with `report`; the stream says `events` first. */
function running(report: () => Json, events = '', more: Routes = {}): Routes {
  return {
    'GET /api/admin/status': () => STATUS,
    'POST /api/sessions': () => success({ id: ID }),
    'GET /api/models': () => success({ default: 'demo/script', models: ['demo/script'] }),
    [`GET ${PATH}/stream`]: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`${events}: ping\n\n`);
      return null;
    },
    [`POST ${PATH}/run`]: report,
    ...more,
  };
}

const bodyOf = (server: ApiServer, path: string) =>
  server.requests.find((request) => request.path === path)?.body;

test('a run through the running host makes a session where it was typed and prints the final text alone', async (t) => {
  const { run, host, folder } = hostedMachine(t);
  const server = await routedServer(
    t,
    running(() => success(REPORT)),
  );
  await host(server.url);
  assert.deepEqual(await run('run', 'hello'), { exit: 0, stdout: 'It is done.\n', stderr: '' });
  assert.deepEqual(bodyOf(server, '/api/sessions'), { agents: ['fairlead'], workspace: folder });
  assert.deepEqual(bodyOf(server, `${PATH}/run`), { text: 'hello' });
  assert.equal(
    server.requests.every(({ authorization }) => authorization === 'Bearer fairlead_pat_operator'),
    true,
  );
});

test('every flag reaches the host, and --json prints the report as it came', async (t) => {
  const { run, host, folder } = hostedMachine(t, { stdin: 'from the pipe' });
  const report = { ...REPORT, calls: [CALL] };
  const found: JsonObject[] = [];
  const server = await routedServer(
    t,
    running(() => success(report), '', {
      'GET /api/sessions?name=work': () => success({ sessions: found }),
    }),
  );
  await host(server.url);
  const flags = ['--agent', 'helper', '--model', 'demo/script', '--workspace', 'sub'];
  const first = await run(
    'run',
    '-',
    ...flags,
    '--session',
    'work',
    '--approve',
    'shell, write_file',
    '--timeout',
    '9',
    '--json',
  );
  assert.deepEqual([first.exit, JSON.parse(first.stdout)], [0, report]);
  assert.deepEqual(bodyOf(server, '/api/sessions'), {
    agents: ['helper'],
    workspace: `${folder}/sub`,
    name: 'work',
  });
  assert.deepEqual(bodyOf(server, `${PATH}/run`), {
    text: 'from the pipe',
    agent: 'helper',
    model: 'demo/script',
    approve: ['shell', 'write_file'],
    timeoutSecs: 9,
  });
  found.push({ id: ID });
  const made = server.requests.length;
  assert.equal((await run('run', 'again', '--session', 'work', '--approve', 'all')).exit, 0);
  assert.equal((await run('run', 'again', '--session', ID)).exit, 0);
  const later = server.requests.slice(made);
  assert.equal(
    later.some(({ path }) => path === '/api/sessions'),
    false,
  );
  assert.deepEqual(
    later.filter(({ path }) => path.endsWith('/run')).map(({ body }) => body),
    [{ text: 'again', approve: 'all' }, { text: 'again' }],
  );
});

test('the exit status tells how the turn ended, and an unknown end of a call before all else', async (t) => {
  const unknown = { ...CALL, certainty: 'outcome_unknown', code: 'tool_timeout' };
  for (const [report, exit, stdout, stderr] of [
    [{ status: 'silent', text: '' }, 0, '', /^$/],
    [
      { status: 'failed', code: 'model_denied', text: 'The key is refused.' },
      1,
      '',
      /^fairlead: The key is refused\. \(model_denied\)\n {2}session: ses_a+\n {2}next: \S/,
    ],
    [
      { status: 'ceiling', code: 'ceiling_reached', text: '' },
      1,
      '',
      /^fairlead: The turn ended: ceiling\. \(ceiling_reached\)/,
    ],
    [{ status: 'cancelled', code: null, text: 'x' }, 1, '', /\(cancelled\)/],
    [
      { calls: [CALL, unknown] },
      3,
      'It is done.\n',
      /\nfairlead: whether shell did its work is not known \(call_1\)\n$/,
    ],
    [{ status: 'failed', code: 'x', text: 'y', calls: [unknown] }, 3, '', /is not known/],
  ] as const) {
    await t.test(JSON.stringify(report), async (t) => {
      const { run, host } = hostedMachine(t);
      const server = await routedServer(
        t,
        running(() => success({ ...REPORT, ...report } as Json)),
      );
      await host(server.url);
      const ended = await run('run', 'hello');
      assert.deepEqual([ended.exit, ended.stdout], [exit, stdout]);
      assert.match(ended.stderr, stderr);
    });
  }
});

test('what the stream tells is shown on stderr, once each', async (t) => {
  const { run, host, context } = hostedMachine(t);
  const event = (name: string, data: Json) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const events = [
    event('state', { turn: 'trn_1', agent: 'agt_1', state: 'queued' }),
    event('state', { turn: 'trn_1', agent: 'agt_1', state: 'queued' }),
    event('state', { turn: 'trn_1', agent: 'agt_1', state: 'model' }),
    event('delta', { turn: 'trn_1', step: 0, kind: 'text', at: 0, text: 'I ' }),
    event('step_reset', { turn: 'trn_1', step: 0 }),
    event('entry', { type: 'message', text: 'I look.\u001b[2J', final: false }),
    event('entry', { type: 'tool_call', call: 'call_1', tool: 'shell' }),
    event('progress', { call: 'call_1', done: 1, text: 'half of it' }),
    event('state', { turn: 'trn_1', agent: 'agt_1', state: 'approval', tool: 'shell' }),
    event('entry', {
      type: 'tool_result',
      call: 'call_1',
      certainty: 'completed',
      code: 'tool_error',
      ms: 12.4,
    }),
    event('entry', { type: 'tool_result', call: 'call_2', certainty: 'not_started' }),
    event('entry', { type: 'turn_end', turn: 'trn_1' }),
  ].join('');
  const shown = () => context.printed.stderr;
  // The end of the second one had not come over the stream.
  const calls = [CALL, { ...CALL, call: 'call_3', tool: 'read_file', ms: 3 }];
  const server = await routedServer(
    t,
    running(() => success(REPORT), events, {
      [`POST ${PATH}/run`]: (_, response) => {
        // Not before all of the stream was read: both come on connections of their own.
        void waitFor(() => shown().includes('not_started'), { what: 'the stream', timeoutMs: 20_000 }).then(
          () => response.end(JSON.stringify(success({ ...REPORT, calls }))),
        );
        return null;
      },
    }),
  );
  await host(server.url);
  const { exit, stdout, stderr } = await run('run', 'hello');
  assert.deepEqual([exit, stdout], [0, 'It is done.\n']);
  assert.deepEqual(stderr.split('\n'), [
    'fairlead: the model’s answer broke off',
    'fairlead: I look. [2J',
    'fairlead: calls shell',
    'fairlead: half of it',
    'fairlead: shell: completed (tool_error) in 12 ms',
    'fairlead: a call: not_started',
    'fairlead: read_file: completed in 3 ms',
    '',
  ]);
});

test('a host without a model or an agent says how to add one, and nothing is made', async (t) => {
  for (const agents of [{ agents: [], model: 'demo/script' }, { agents: ['fairlead'], model: null }, null]) {
    const { run, host } = hostedMachine(t);
    const server = await routedServer(t, { 'GET /api/admin/status': () => success({ runners: [], agents }) });
    await host(server.url);
    const { exit, stderr } = await run('run', 'hello');
    assert.equal(exit, 1);
    assert.match(stderr, /\(model_missing\)\n {2}next: Add one with `fairlead model add`/);
    assert.equal(server.requests.length, 1);
  }
});

test('a model that the host has not leaves no session behind', async (t) => {
  const { run, host } = hostedMachine(t);
  const server = await routedServer(
    t,
    running(() => success(REPORT)),
  );
  await host(server.url);
  const { exit, stderr } = await run('run', 'hello', '--model', 'demo/scripts');
  assert.equal(exit, 1);
  assert.match(
    stderr,
    /\(did you mean demo\/script\?\) \(model_unknown\)\n {2}next: See `fairlead model list` or /,
  );
  assert.deepEqual(
    server.requests.map(({ path }) => path),
    ['/api/models'],
  );
});

test('a session that begins as an id and is none is unknown, and none is made', async (t) => {
  const { run, host } = hostedMachine(t);
  const server = await routedServer(
    t,
    running(() => success(REPORT), '', {
      'GET /api/sessions?name=ses_short': () => success({ sessions: [] }),
    }),
  );
  await host(server.url);
  const { exit, stderr } = await run('run', 'hello', '--session', 'ses_short');
  assert.equal(exit, 1);
  assert.match(stderr, /\(session_unknown\)\n {2}next: See `fairlead session list` or /);
  assert.equal(server.requests.length, 1);
});

test('a run on a paused host says so, and makes no session that nothing would be said in', async (t) => {
  const { run, host } = hostedMachine(t);
  const agents = { agents: ['fairlead'], model: 'demo/script', pausedAtMs: 1_000 };
  const server = await routedServer(
    t,
    running(() => success(REPORT), '', {
      'GET /api/admin/status': () => success({ runners: [], agents }),
      'GET /api/sessions?name=new': () => success({ sessions: [] }),
    }),
  );
  await host(server.url);
  for (const more of [[], ['--session', 'new'], ['--agent', 'fairlead']]) {
    const { exit, stdout, stderr } = await run('run', 'hello', ...more);
    assert.deepEqual([exit, stdout], [1, '']);
    assert.match(
      stderr,
      /^fairlead: The host is paused: .*\(host_paused\)\n {2}next: Use `fairlead resume` or /,
    );
  }
  assert.deepEqual(
    server.requests.filter(({ method }) => method === 'POST'),
    [],
  );
});

test('a name that several sessions have is refused with their ids, and nothing is said in one of them', async (t) => {
  const { run, host } = hostedMachine(t);
  const other = ID.replaceAll('a', 'b');
  const server = await routedServer(
    t,
    running(() => success(REPORT), '', {
      'GET /api/sessions?name=work': () => success({ sessions: [{ id: other }, { id: ID }] }),
    }),
  );
  await host(server.url);
  for (const line of [
    ['run', 'hello', '--session', 'work'],
    ['session', 'show', 'work'],
    ['session', 'close', 'work'],
    ['session', 'cancel', 'work'],
    ['ext', 'add', 'notes', '--session', 'work'],
  ]) {
    const { exit, stderr } = await run(...line);
    assert.equal(exit, 1, line.join(' '));
    assert.equal(
      stderr.split('  next:')[0],
      `fairlead: More than one open session has this name. (session_ambiguous)\n  sessions: ${other}, ${ID}\n`,
    );
  }
  assert.equal(
    server.requests.every(({ path }) => path === '/api/sessions?name=work'),
    true,
  );
});

test('a refusal is told with its code, and an answer that is lost may have been carried out', async (t) => {
  const { run, host } = hostedMachine(t);
  const answers: (() => Json | null)[] = [
    () => failure('host_paused', 'not_started'),
    () => success({ no: 'report' }),
  ];
  const server = await routedServer(
    t,
    running(() => null, '', {
      [`POST ${PATH}/run`]: (_, response) => {
        const next = answers.shift();
        if (next !== undefined) return next();
        response.socket?.destroy();
        return null;
      },
      'POST /api/sessions': () => success(server.requests.length > 12 ? {} : { id: ID }),
    }),
  );
  await host(server.url);
  const refused = await run('run', 'hello');
  assert.deepEqual([refused.exit, refused.stdout], [1, '']);
  assert.match(refused.stderr, /\(host_paused\)/);
  for (const _ of ['no report', 'no answer']) {
    const lost = await run('run', 'hello');
    assert.equal(lost.exit, 3);
    assert.match(lost.stderr, /\(run_lost\)\n {2}session: ses_a+\n {2}reason: \S/);
  }
  assert.match((await run('run', 'hello')).stderr, /\(answer_lost\)\n {2}reason: an answer without an id/);
});

test('Ctrl-C cancels the turn, and the end of it is still told: exit 130', async (t) => {
  const { run, host } = hostedMachine(t);
  let end: (() => void) | undefined;
  const server = await routedServer(
    t,
    running(() => null, '', {
      [`POST ${PATH}/run`]: (_, response) => {
        end = () =>
          response.end(
            JSON.stringify(success({ ...REPORT, status: 'cancelled', code: 'cancelled', text: 'Stopped.' })),
          );
        process.emit('SIGINT');
        return null;
      },
      [`POST ${PATH}/cancel`]: () => {
        end?.();
        return success({ cancelled: true });
      },
    }),
  );
  await host(server.url);
  const { exit, stdout, stderr } = await run('run', 'hello', '--json');
  assert.equal(exit, 130);
  assert.equal(JSON.parse(stdout).status, 'cancelled');
  assert.match(stderr, /^fairlead: Stopped\. \(cancelled\)\n/);
});

test('Ctrl-C before the message was sent sends none', async (t) => {
  const { run, host } = hostedMachine(t);
  const server = await routedServer(
    t,
    running(() => success(REPORT), '', {
      'POST /api/sessions': () => {
        process.emit('SIGINT');
        return success({ id: ID });
      },
    }),
  );
  await host(server.url);
  const { exit, stderr } = await run('run', 'hello');
  assert.equal(exit, 130);
  assert.match(stderr, /\(interrupted\)/);
  assert.equal(
    server.requests.some(({ path }) => path.endsWith('/run')),
    false,
  );
});

test('what cannot be meant is a usage error, and nothing is asked', async (t) => {
  const { run } = hostedMachine(t, { stdin: 'x'.repeat(1_048_577) });
  for (const args of [
    [],
    [' '],
    ['-'],
    ['a', 'b'],
    ['a', '--timeout', '0'],
    ['a', '--timeout', '86401'],
    ['a', '--approve', 'shell,,x'],
    ['a', '--approve', 'sh*'],
  ])
    assert.equal((await run('run', ...args)).exit, 2, args.join(' '));
});

test('a run where no host runs and no model is configured says how to add one, and leaves no host behind', async (t) => {
  const { run, state } = hostedMachine(t);
  const { exit, stderr } = await run('run', 'hello');
  assert.equal(exit, 1);
  assert.match(stderr, /\(model_missing\)/);
  assert.equal((await run('status')).stdout, `nothing runs on ${state}\n`);
});

test('an event stream is read in whatever pieces it comes', () => {
  const events: StreamEvent[] = [];
  const text =
    ': ping\n\nevent: a\r\ndata: {"x":1}\r\n\r\nid: 7\ndata: {"y":\ndata: 2}\n\ndata: no json\n\nevent: b\n\nunknown\n\n';
  for (const size of [1, 3, text.length]) {
    events.length = 0;
    const parser = new EventParser(({ event, data }) => events.push({ event, data }));
    for (let at = 0; at < text.length; at += size) assert.equal(parser.take(text.slice(at, at + size)), true);
    assert.deepEqual(events, [
      { event: 'message', data: {} },
      { event: 'a', data: { x: 1 } },
      { event: 'message', data: { y: 2 } },
      { event: 'b', data: {} },
      { event: 'message', data: {} },
    ]);
  }
});

test('an event that never ends is no event of a host', () => {
  const parser = new EventParser(() => assert.fail('none ends'));
  assert.equal(parser.take('data: x\n'.repeat(65)), false);
  assert.equal(new EventParser(() => {}).take('x'.repeat(8 * 1024 * 1024 + 1)), false);
});

test('an event of a host of one’s own holds its entry in a member', () => {
  const lines: string[] = [];
  const progress = new RunProgress({ clock: manualClock(), stderr: (text) => lines.push(text) });
  progress.hear('entry', { cursor: 1, entry: { type: 'tool_call', call: 'c', tool: 'read_file' } });
  progress.hear('entry', { cursor: 2, entry: { type: 'message', text: '', final: false } });
  progress.hear('reset', {});
  assert.deepEqual(lines, ['fairlead: calls read_file\n']);
});

test('what lasts longer than a second is said, and nothing once the turn has ended', async () => {
  const lines: string[] = [];
  const clock = manualClock();
  const progress = new RunProgress({ clock, stderr: (text) => lines.push(text) });
  for (const data of [
    { state: 'queued' },
    { state: 'model' },
    { state: 'tool', tool: 'shell' },
    { state: 'approval', tool: 'write_file' },
  ]) {
    progress.hear('state', data);
    await clock.advance(1_000);
  }
  progress.hear('state', { state: 'model' });
  await clock.advance(999);
  progress.end([]);
  await clock.advance(1_000);
  assert.deepEqual(lines, [
    'fairlead: waiting for the turn before it …\n',
    'fairlead: waiting for the model …\n',
    'fairlead: waiting for shell …\n',
    'fairlead: waiting for write_file …\n',
  ]);
});
