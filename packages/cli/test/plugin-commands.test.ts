import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import type { Json } from '@fairlead/base';
import { hygiene, manualClock, temporaryFolder } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { writeServerFile } from '../src/state/server-file.ts';
import { holdFolder } from './held-folder.ts';
import { hostAt } from './host-in-file.ts';
import { apiServer, deadUrl, failure, rawServer, success } from './loopback-server.ts';
import { testContext } from './test-context.ts';

const operatorToken = `fairlead_pat_${'o'.repeat(43)}`;

type Answers = Parameters<typeof apiServer>[1];

/** A machine with a host that answers as told, and its operator token. */
async function machine(t: NodeTest, answers: Answers, stdin?: string) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const state = join(folder, 'state');
  mkdirSync(state);
  const server = await apiServer(t, answers);
  writeFileSync(join(state, 'operator.token'), `${operatorToken}\n`);
  await holdFolder(t, state);
  await writeServerFile(state, hostAt(server.url, { command: 'up', runner: 'local' }));
  const context = testContext(folder, stdin === undefined ? {} : { stdin });
  const run = async (...args: string[]) => {
    context.printed.stdout = '';
    context.printed.stderr = '';
    const exit = await main(args, { cloneRoot: context.cloneRoot, context });
    return { exit, ...context.printed };
  };
  return { folder, server, run };
}

const binding = `wc_pbind_${'b'.repeat(22)}`;
const description: Json = {
  runner: 'local',
  plugin: 'raw-node',
  pluginName: 'Echo and add',
  tool: {
    name: 'add',
    title: 'Add',
    description: 'Adds\u001b[31m two\nnumbers.',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
  },
  binding,
};
const target = ['--runner', 'local', '--plugin', 'raw-node', '--tool', 'add'];

test('list shows the Runners, and a dash where one has no name', async (t) => {
  const runners = [{ runner: 'a' }, { runner: 'b', name: 'Bench\u0007' }];
  const { run, server } = await machine(t, [{ envelope: success({ runners }) }]);
  assert.deepEqual(await run('plugin', 'list'), {
    exit: 0,
    stdout: 'RUNNER  NAME\na       -\nb       Bench\n',
    stderr: '',
  });
  assert.deepEqual(server.requests, [
    {
      method: 'POST',
      path: '/api/tools/call',
      authorization: `Bearer ${operatorToken}`,
      body: { tool: 'plugin_tool', params: { action: 'list' } },
    },
  ]);
});

test('list without a Runner says so', async (t) => {
  const { run } = await machine(t, [{ envelope: success({ runners: [] }) }]);
  assert.equal((await run('plugin', 'list')).stdout, 'no Runner is connected that this token may see\n');
});

test('list of a Runner shows its plugins with their codes', async (t) => {
  const plugins = [
    { plugin: 'a', name: 'A', status: 'ready', errorCode: null },
    { plugin: 'b', name: 'B', status: 'failed', errorCode: 'plugin_eof' },
  ];
  const { run, server } = await machine(t, [
    { envelope: success({ runner: 'local', plugins }) },
    { envelope: success({ runner: 'local', plugins: [] }) },
  ]);
  assert.equal(
    (await run('plugin', 'list', '--runner', 'local')).stdout,
    'runner:      local\nPLUGIN  STATUS  CODE        NAME\na       ready   -           A\nb       failed  plugin_eof  B\n',
  );
  assert.deepEqual(server.requests[0]?.body, {
    tool: 'plugin_tool',
    params: { action: 'list', runner: 'local' },
  });
  assert.equal(
    (await run('plugin', 'list', '--runner', 'local')).stdout,
    'runner:      local\nno plugin is configured\n',
  );
});

test('list of a plugin shows its tools', async (t) => {
  const row = { runner: 'local', plugin: 'a', name: 'A', status: 'ready', errorCode: null };
  const { run } = await machine(t, [
    { envelope: success({ ...row, toolCount: 2, tools: [{ name: 'x', title: 'X' }, { name: 'y' }] }) },
    {
      envelope: success({
        ...row,
        name: 'a',
        status: 'failed',
        errorCode: 'plugin_eof',
        toolCount: 0,
        tools: [],
      }),
    },
  ]);
  assert.equal(
    (await run('plugin', 'list', '--runner', 'local', '--plugin', 'a')).stdout,
    'runner:      local\nplugin:      a (A)\nstatus:      ready\ntools:       2\nTOOL  TITLE\nx     X\ny     -\n',
  );
  assert.equal(
    (await run('plugin', 'list', '--runner', 'local', '--plugin', 'a')).stdout,
    'runner:      local\nplugin:      a\nstatus:      failed\ncode:        plugin_eof\ntools:       0\n',
  );
});

test('describe shows the whole definition and the binding', async (t) => {
  const { run } = await machine(t, [{ envelope: success(description) }]);
  assert.equal(
    (await run('plugin', 'describe', ...target)).stdout,
    `runner:      local
plugin:      raw-node (Echo and add)
tool:        add
title:       Add
description: Adds [31m two numbers.
binding:     ${binding}
input schema:
{
  "type": "object"
}
output schema:
{
  "type": "object",
  "properties": {}
}
annotations, the plugin’s own word:
{
  "readOnlyHint": true
}
`,
  );
});

test('--json is the output object, one line', async (t) => {
  const { run } = await machine(t, [{ envelope: success(description) }]);
  const { stdout } = await run('plugin', 'describe', ...target, '--json');
  assert.equal(stdout.endsWith('\n') && stdout.indexOf('\n') === stdout.length - 1, true);
  assert.deepEqual(JSON.parse(stdout), description);
});

test('call is one describe and one call with its binding, and says the certainty', async (t) => {
  const result = { content: [{ type: 'text', text: 'seven\u001b[2J' }], structuredContent: { sum: 7 } };
  const { run, server } = await machine(t, [
    { envelope: success(description) },
    { envelope: { ...(success(result) as object), call: 'call_x' } as Json },
  ]);
  assert.deepEqual(await run('plugin', 'call', ...target, '--arguments', '{"a":2,"b":5}'), {
    exit: 0,
    stdout: 'seven [2J\nstructured:\n{\n  "sum": 7\n}\n',
    stderr: 'certainty:   completed\n',
  });
  assert.deepEqual(
    server.requests.map(({ body }) => body),
    [
      {
        tool: 'plugin_tool',
        params: { action: 'describe', runner: 'local', plugin: 'raw-node', tool: 'add' },
      },
      { tool: 'plugin_tool', params: { action: 'call', binding, arguments: { a: 2, b: 5 } } },
    ],
  );
});

test('call with --json prints the plugin’s own result', async (t) => {
  const result = { content: [{ type: 'text', text: 'x' }], isError: false };
  const { run } = await machine(t, [{ envelope: success(description) }, { envelope: success(result) }]);
  const { stdout, stderr } = await run('plugin', 'call', ...target, '--json');
  assert.deepEqual(JSON.parse(stdout), result);
  assert.equal(stderr, 'certainty:   completed\n');
});

test('a tool’s own error is shown with its certainty, exit 1', async (t) => {
  const envelope = {
    success: false,
    output: { content: [{ type: 'text', text: 'no such file' }], isError: true },
    error: null,
    dispatch_certainty: 'completed',
    failure_kind: 'plugin_tool_error',
  };
  const { run } = await machine(t, [{ envelope: success(description) }, { envelope }]);
  assert.deepEqual(await run('plugin', 'call', ...target), {
    exit: 1,
    stdout: 'no such file\n',
    stderr:
      'certainty:   completed\nfairlead: The tool ran and reports an error of its own. (plugin_tool_error)\n',
  });
});

test('what cannot be described is not called', async (t) => {
  const { run, server } = await machine(t, [
    { status: 400, envelope: failure('tool_not_found', 'not_started') },
  ]);
  const { exit, stderr } = await run('plugin', 'call', ...target);
  assert.equal(exit, 1);
  assert.match(stderr, /^fairlead: The server says tool_not_found\. \(tool_not_found\)\n/);
  assert.equal(server.requests.length, 1);
});

test('a call whose outcome is unknown exits 3 and is not tried again', async (t) => {
  const { run, server } = await machine(t, [
    { envelope: success(description) },
    { status: 400, envelope: failure('plugin_timeout', 'outcome_unknown') },
  ]);
  const { exit, stdout, stderr } = await run('plugin', 'call', ...target);
  assert.equal(exit, 3);
  assert.equal(stdout, '');
  assert.match(stderr, / {2}certainty: {3}outcome_unknown\n/);
  assert.equal(server.requests.length, 2);
});

test('arguments come from the command line, a file or standard input; the default is {}', async (t) => {
  const answers = Array.from({ length: 8 }, (_, index) => ({
    envelope: success(index % 2 === 0 ? description : { content: [] }),
  }));
  const { run, server, folder } = await machine(t, answers, '{"from":"stdin"}');
  writeFileSync(join(folder, 'arguments.json'), '{"from":"file"}');
  await run('plugin', 'call', ...target);
  await run('plugin', 'call', ...target, '--arguments', '{"from":"flag"}');
  await run('plugin', 'call', ...target, '--arguments', '@arguments.json');
  await run('plugin', 'call', ...target, '--arguments', '-');
  const sent = server.requests
    .filter((_, index) => index % 2 === 1)
    .map(({ body }) => (body as { params: { arguments: Json } }).params.arguments);
  assert.deepEqual(sent, [{}, { from: 'flag' }, { from: 'file' }, { from: 'stdin' }]);
});

test('arguments that are no JSON object are refused before anything is sent, and not repeated', async (t) => {
  const { run, server, folder } = await machine(t, [{ envelope: success(description) }]);
  writeFileSync(join(folder, 'long.json'), `{"a":"${'x'.repeat(140_000)}"}`);
  for (const [source, reason] of [
    ['{hunter2}', 'syntax'],
    ['["hunter2"]', 'not an object'],
    ['{"hunter2":1,"hunter2":2}', 'duplicate key'],
    ['{"a":9007199254740993}', 'integer out of range'],
    ['@long.json', 'bytes'],
  ] as const) {
    assert.deepEqual(await run('plugin', 'call', ...target, '--arguments', source), {
      exit: 1,
      stdout: '',
      stderr: `fairlead: The arguments are not a JSON object; nothing was sent. (arguments_unreadable)\n  reason: ${reason}\n  next: Give --arguments as JSON, as @FILE, or as - to read standard input.\n`,
    });
  }
  const absent = await run('plugin', 'call', ...target, '--arguments', '@absent.json');
  assert.match(absent.stderr, /^fairlead: The file absent\.json cannot be read\. \(arguments_unreadable\)\n/);
  assert.equal(server.requests.length, 0);
});

test('check says before it asks that the program is really started', async (t) => {
  const report = { runner: 'local', plugin: 'a', ready: true, phase: 'ready', toolCount: 1 };
  const { run } = await machine(t, [
    { envelope: success({ ...report, tools: [{ name: 'x' }, { name: 'y' }] }) },
    { envelope: success({ ...report, tools: [] }) },
  ]);
  assert.deepEqual(await run('plugin', 'check', '--runner', 'local', '--plugin', 'a'), {
    exit: 0,
    stdout: 'runner:      local\nplugin:      a\nready:       true\nphase:       ready\ntools:       x, y\n',
    stderr: 'fairlead: check really starts the program on the Runner’s machine, then ends it\n',
  });
  const { stdout } = await run('plugin', 'check', '--runner', 'local', '--plugin', 'a');
  assert.match(stdout, /tools: {7}none\n$/);
});

test('a plugin that is not ready exits 2 with phase, code, detail, diagnostic and the next step', async (t) => {
  const { run } = await machine(t, [
    {
      envelope: success({
        runner: 'local',
        plugin: 'a',
        ready: false,
        phase: 'validation',
        toolCount: 0,
        tools: [],
        code: 'plugin_tools_list_invalid',
        detail: 'The list is not valid.',
        diagnostic: { code: 'schema_keyword_unsupported', tool: 'x', field: 'inputSchema' },
      }),
    },
  ]);
  const { exit, stdout, stderr } = await run('plugin', 'check', '--runner', 'local', '--plugin', 'a');
  assert.equal(exit, 2);
  assert.equal(
    stdout,
    'runner:      local\nplugin:      a\nready:       false\nphase:       validation\ncode:        plugin_tools_list_invalid\ndetail:      The list is not valid.\ndiagnostic:  schema_keyword_unsupported x inputSchema\n',
  );
  assert.match(stderr, /\nnext: .+\n$/);
});

test('a plugin that ended before it answered gets a hint, in words that do not claim to know', async (t) => {
  const report = { runner: 'local', plugin: 'a', ready: false, toolCount: 0, tools: [], code: 'plugin_eof' };
  const { run } = await machine(t, [
    { envelope: success({ ...report, phase: 'initialize' }) },
    { envelope: success({ ...report, phase: 'tools_list' }) },
  ]);
  const first = await run('plugin', 'check', '--runner', 'local', '--plugin', 'a');
  assert.match(first.stdout, /\nhint: .*If command and args are right.*dist\/plugin\.js/s);
  const second = await run('plugin', 'check', '--runner', 'local', '--plugin', 'a');
  assert.doesNotMatch(second.stdout, /hint/);
});

test('reload shows the new set', async (t) => {
  const plugins = [{ plugin: 'a', name: 'A', status: 'ready', errorCode: null }];
  const { run, server } = await machine(t, [
    { envelope: success({ runner: 'local', plugins, failures: [] }) },
  ]);
  const { exit, stdout } = await run('plugin', 'reload', '--runner', 'local');
  assert.equal(exit, 0);
  assert.equal(stdout, 'runner:      local\nPLUGIN  STATUS  CODE  NAME\na       ready   -     A\n');
  assert.deepEqual(server.requests[0]?.body, {
    tool: 'plugin_tool',
    params: { action: 'reload', runner: 'local' },
  });
});

test('a reload with failures exits 2 and says that nothing was changed', async (t) => {
  const failures = [{ provider_id: 'b', code: 'plugin_timeout' }];
  const envelope = success({ runner: 'local', plugins: [], failures });
  const { run } = await machine(t, [{ envelope }, { envelope }]);
  const { exit, stdout, stderr } = await run('plugin', 'reload', '--runner', 'local');
  assert.equal(exit, 2);
  assert.equal(
    stdout,
    'nothing was changed; these plugins were not admitted:\nPLUGIN  CODE\nb       plugin_timeout\n',
  );
  assert.match(stderr, /^next: .+\n$/);
  const json = await run('plugin', 'reload', '--runner', 'local', '--json');
  assert.equal(json.exit, 2);
  assert.deepEqual(JSON.parse(json.stdout), { runner: 'local', plugins: [], failures });
});

test('the operator token is never sent to another address', async (t) => {
  const { run, server } = await machine(t, []);
  const other = await apiServer(t, [{ envelope: success({ runners: [] }) }]);
  const refused = await run('plugin', 'list', '--server-url', other.url);
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /is sent to its own host alone; nothing was sent\. \(token_missing\)\n/);
  assert.equal(other.requests.length, 0);
  const token = `fairlead_pat_${'t'.repeat(43)}`;
  assert.equal((await run('plugin', 'list', '--server-url', other.url, '--token', token)).exit, 0);
  assert.equal(other.requests[0]?.authorization, `Bearer ${token}`);
  assert.equal(server.requests.length, 0);
});

test('the address of its own host, written out, takes the operator token', async (t) => {
  const { run, server } = await machine(t, [{ envelope: success({ runners: [] }) }]);
  assert.equal((await run('plugin', 'list', '--server-url', `${server.url}/`)).exit, 0);
  assert.equal(server.requests[0]?.authorization, `Bearer ${operatorToken}`);
});

test('a Runner’s token is refused before anything is sent', async (t) => {
  const { run, server } = await machine(t, []);
  const { exit, stderr } = await run('plugin', 'list', '--token', `fairlead_runner_${'x'.repeat(43)}`);
  assert.equal(exit, 1);
  assert.match(stderr, /\(runner_token_refused\)\n/);
  assert.doesNotMatch(stderr, /xxx/);
  assert.equal(server.requests.length, 0);
});

test('a server that is not there exits 1 for every action: nothing was sent', async (t) => {
  const { run } = await machine(t, []);
  const url = await deadUrl();
  const network = ['--server-url', url, '--token', `fairlead_pat_${'t'.repeat(43)}`];
  for (const args of [
    ['list'],
    ['describe', ...target],
    ['call', ...target],
    ['check', '--runner', 'a', '--plugin', 'b'],
    ['reload', '--runner', 'a'],
  ]) {
    const { exit, stderr } = await run('plugin', ...args, ...network);
    assert.equal(exit, 1, args.join(' '));
    assert.match(stderr, /No server answers at that address; nothing was sent\. \(server_unreachable\)\n/);
    assert.equal(stderr.includes(`  address: ${url}\n  reason: ECONNREFUSED\n`), true, stderr);
  }
});

test('a reset after a reload began exits 3', async (t) => {
  const { run } = await machine(t, []);
  const server = await rawServer(t, (socket) => socket.resetAndDestroy());
  const network = ['--server-url', server.url, '--token', `fairlead_pat_${'t'.repeat(43)}`];
  const { exit, stderr } = await run('plugin', 'reload', '--runner', 'a', ...network);
  assert.equal(exit, 3);
  assert.match(stderr, /it was not tried again/);
  assert.equal(server.received.length, 1);
});

test('a wait longer than a second says what is waited for', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const context = testContext(temporaryFolder(t), { clock });
  const asked = Promise.withResolvers<void>();
  const server = await rawServer(t, () => asked.resolve());
  const args = ['plugin', 'list', '--server-url', server.url, '--token', 'fairlead_pat_x'];
  const exit = main(args, { cloneRoot: context.cloneRoot, context });
  await asked.promise;
  await clock.advance(1_000);
  assert.equal(context.printed.stderr, 'fairlead: waiting for the answer to list …\n');
  await clock.advance(14_000);
  assert.equal(await exit, 1);
  assert.match(context.printed.stderr, /reason: {6}no answer within 15 s\n/);
});
