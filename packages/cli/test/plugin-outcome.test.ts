import assert from 'node:assert/strict';
import { type TestContext as NodeTest, test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { apiServer, failure, rawServer, success } from './loopback-server.ts';
import { testContext } from './test-context.ts';

const token = `fairlead_pat_${'t'.repeat(43)}`;
const call = 'call_AAAAAAAAAAAAAAAAAAAAAA';
const names = { call, runner: 'local', plugin: 'echo', tool: 'say' };

async function asked(
  t: NodeTest,
  answer: { readonly status?: number; readonly envelope: Json },
  ...more: string[]
) {
  hygiene(t);
  const context = testContext(temporaryFolder(t));
  const server = await apiServer(t, [answer]);
  const args = ['plugin', 'outcome', '--call', call, '--server-url', server.url, '--token', token, ...more];
  const exit = await main(args, { cloneRoot: context.cloneRoot, context });
  assert.deepEqual(server.requests[0]?.body, { tool: 'plugin_tool', params: { action: 'outcome', call } });
  return { exit, ...context.printed };
}

function outcome(t: NodeTest, output: JsonObject, ...more: string[]) {
  return asked(t, { envelope: success(output) }, ...more);
}

test('a settled call: its certainty, and the result that was lost', async (t) => {
  const result = {
    content: [{ type: 'text', text: 'said\u001b[31m' }],
    structuredContent: { length: 4 },
  };
  const shown = await outcome(t, { ...names, certainty: 'completed', settled: true, result });
  assert.equal(shown.exit, 0);
  assert.equal(
    shown.stdout,
    [
      `call:        ${call}`,
      'runner:      local',
      'plugin:      echo',
      'tool:        say',
      'certainty:   completed',
      'said [31m',
      'structured:',
      '{',
      '  "length": 4',
      '}',
      '',
    ].join('\n'),
  );
  assert.equal(shown.stderr, '');
});

test('one that never ran ends 0: that is certain; the code has its next step', async (t) => {
  const shown = await outcome(t, {
    ...names,
    certainty: 'not_started',
    settled: true,
    code: 'call_not_delivered',
  });
  assert.equal(shown.exit, 0);
  assert.match(shown.stdout, /certainty: {3}not_started\ncode: {8}call_not_delivered\n$/);
  assert.equal(shown.stderr, 'next: Call again if it is still wanted.\n');
});

test('one that is still unknown ends 3', async (t) => {
  const shown = await outcome(t, {
    ...names,
    certainty: 'outcome_unknown',
    settled: false,
    code: 'call_running',
  });
  assert.equal(shown.exit, 3);
  assert.equal(shown.stderr, 'next: Ask for its outcome again later.\n');
});

test('the report of a check that was lost is shown as it is', async (t) => {
  const result = { runner: 'local', plugin: 'echo', ready: true };
  const shown = await outcome(t, { call, certainty: 'completed', settled: true, result });
  assert.equal(shown.exit, 0);
  assert.match(shown.stdout, /\nresult:\n\{\n {2}"runner": "local",\n/);
});

test('--json is the output, one line', async (t) => {
  const output = { ...names, certainty: 'completed', settled: true };
  const shown = await outcome(t, output, '--json');
  assert.deepEqual([shown.exit, shown.stdout], [0, `${JSON.stringify(output)}\n`]);
});

test('a call that this token never made ends 1', async (t) => {
  const shown = await asked(t, { status: 400, envelope: failure('call_not_found', 'not_started') });
  assert.equal(shown.exit, 1);
  assert.match(shown.stderr, /^fairlead: The server says call_not_found\. \(call_not_found\)\n/);
});

test('a lost answer ends 1, because asking changes nothing', async (t) => {
  hygiene(t);
  const context = testContext(temporaryFolder(t));
  const server = await rawServer(t, (socket) => socket.destroy());
  const args = ['plugin', 'outcome', '--call', call, '--server-url', server.url, '--token', token];
  assert.equal(await main(args, { cloneRoot: context.cloneRoot, context }), 1);
  assert.match(context.printed.stderr, /so nothing was changed\. \(read_lost\)/);
  assert.match(context.printed.stderr, /next: Ask again\./);
});

test('the call must be named', async (t) => {
  hygiene(t);
  const context = testContext(temporaryFolder(t));
  assert.equal(await main(['plugin', 'outcome'], { cloneRoot: context.cloneRoot, context }), 2);
});
