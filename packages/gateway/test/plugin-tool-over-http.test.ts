import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { type GatewayFixture, startGateway } from './fixture/gateway-fixture.ts';
import { ask, callTool } from './fixture/http-client.ts';
import { type RunnerPeer, runner, serveEcho } from './fixture/runner-peer.ts';

type JournalRow = {
  readonly action: string;
  readonly principal: string;
  readonly certainty: string;
  readonly code: string | null;
};

async function serving(
  t: TestContext,
): Promise<GatewayFixture & { readonly peer: RunnerPeer; readonly calls: readonly unknown[] }> {
  hygiene(t);
  const fixture = await startGateway(t);
  const peer = await runner(t, fixture.port, await fixture.mintRunner('here'), 'here');
  return { ...fixture, peer, ...serveEcho(peer) };
}

async function describe(fixture: GatewayFixture, token: string, runnerId = 'here'): Promise<string> {
  const answer = await callTool(fixture.port, token, {
    tool: 'plugin_tool',
    params: { action: 'describe', runner: runnerId, plugin: 'echo', tool: 'say' },
  });
  assert.equal(answer.status, 200, answer.text);
  return (answer.envelope.output as { binding: string }).binding;
}

test('the tools are listed the same for every token, in a fixed order, with a body and without', async (t) => {
  hygiene(t);
  const { port, token, mint } = await startGateway(t);
  const narrow = await mint(['session:read']);
  const first = await ask(port, { path: '/api/tools/list', method: 'POST', token });
  assert.equal(first.status, 200);
  const { tools } = first.envelope.output as { tools: Record<string, unknown>[] };
  for (const tool of tools)
    assert.deepEqual(Object.keys(tool), ['name', 'description', 'inputSchema', 'annotations', 'scopes']);
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['plugin_tool', 'work_on_project', 'read_tool_manifest', 'call_runtime_tool'],
  );
  const second = await ask(port, { path: '/api/tools/list', token: narrow, body: {} });
  assert.equal(second.text, first.text);
  assert.equal((await ask(port, { path: '/api/tools/list', token, bytes: '[]' })).status, 400);
  assert.equal((await ask(port, { path: '/api/tools/list', method: 'POST' })).status, 401);
});

test('list, describe and call go through, in each of the three forms of a body', async (t) => {
  const fixture = await serving(t);
  const { port, token, calls } = fixture;
  const list = await callTool(port, token, { tool: 'plugin_tool', action: 'list' });
  assert.deepEqual(list.envelope.output, { runners: [{ runner: 'here' }] });
  const binding = await describe(fixture, token);
  assert.match(binding, /^wc_pbind_[A-Za-z0-9_-]{22}$/);
  const call = { action: 'call', binding, arguments: { text: 'hi' } };
  for (const body of [
    { tool: 'plugin_tool', params: call },
    { tool: 'plugin_tool', arguments: call },
    { tool: 'plugin_tool', ...call },
  ]) {
    const answer = await callTool(port, token, body);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.envelope, {
      success: true,
      output: { content: [{ type: 'text', text: 'provider-1 said so' }] },
      error: null,
      dispatch_certainty: 'completed',
      call: answer.envelope.call,
    });
    assert.match(answer.envelope.call ?? '', /^call_[A-Za-z0-9_-]{22}$/);
  }
  assert.deepEqual(calls, Array(3).fill({ tool: 'say', arguments: { text: 'hi' } }));
});

test('a provider that says no is 200 with its result, success false and a failure kind', async (t) => {
  hygiene(t);
  const fixture = await startGateway(t);
  const peer = await runner(t, fixture.port, await fixture.mintRunner('here'), 'here');
  const { result } = { result: { content: [{ type: 'text', text: 'no' }], isError: true } };
  const serve = serveEcho({ ...peer, send: (frame) => peer.send(withResult(frame, result)) });
  const binding = await describe(fixture, fixture.token);
  const answer = await callTool(fixture.port, fixture.token, {
    tool: 'plugin_tool',
    params: { action: 'call', binding, arguments: {} },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.envelope.success, false);
  assert.deepEqual(answer.envelope.output, result);
  assert.equal(answer.envelope.error, null);
  assert.equal(answer.envelope.failure_kind, 'plugin_tool_error');
  assert.equal(answer.envelope.dispatch_certainty, 'completed');
  assert.equal(serve.calls.length, 1);
});

function withResult(frame: object, result: object): object {
  const { response } = frame as { response: { payload: { kind: string } } };
  return response.payload.kind === 'tools_call'
    ? { ...frame, response: { dispatch_state: 'completed', payload: { kind: 'tools_call', result } } }
    : frame;
}

test('a scope that is missing is 403, names the scope, and nothing is sent', async (t) => {
  const fixture = await serving(t);
  const { port, mint, calls } = fixture;
  const inspect = await mint(['plugin:inspect']);
  const invoke = await mint(['plugin:invoke']);
  const manage = await mint(['plugin:manage', 'admin']);
  const binding = await describe(fixture, inspect);
  const cases: [string, object, string][] = [
    [inspect, { action: 'call', binding, arguments: {} }, 'plugin:invoke'],
    [inspect, { action: 'check', runner: 'here', plugin: 'echo' }, 'plugin:manage'],
    [invoke, { action: 'list' }, 'plugin:inspect'],
    [invoke, { action: 'reload', runner: 'here' }, 'plugin:manage'],
    [manage, { action: 'call', binding, arguments: {} }, 'plugin:invoke'],
    [manage, { action: 'describe', runner: 'here', plugin: 'echo', tool: 'say' }, 'plugin:inspect'],
  ];
  for (const [token, params, scope] of cases) {
    const answer = await callTool(port, token, { tool: 'plugin_tool', params: params as never });
    assert.equal(answer.status, 403, answer.text);
    assert.equal(answer.envelope.error?.code, 'insufficient_scope');
    assert.deepEqual(answer.envelope.error?.detail, { scope });
    assert.equal(answer.envelope.dispatch_certainty, 'not_started');
  }
  assert.deepEqual(calls, []);
});

test('a Runner that answers with a code of HTTP does not choose the status', async (t) => {
  hygiene(t);
  const fixture = await startGateway(t);
  const peer = await runner(t, fixture.port, await fixture.mintRunner('here'), 'here');
  for (const code of ['request_incomplete', 'route_not_found', 'local_only', 'upgrade_required']) {
    const answering = callTool(fixture.port, fixture.token, {
      tool: 'plugin_tool',
      params: { action: 'reload', runner: 'here' },
    });
    const frame = await peer.next();
    const response = { dispatch_state: 'completed', error: { code, message: 'x' } };
    peer.send({ type: 'result', id: frame['id'], response });
    const answer = await answering;
    assert.equal(answer.status, 400, code);
    assert.equal(answer.envelope.success, false);
  }
});

test('parameters that are not those of an action, and a session that does not exist, are 400 and nothing is sent', async (t) => {
  const fixture = await serving(t);
  const { port, token, calls } = fixture;
  const binding = await describe(fixture, token);
  const call = { action: 'call', binding, arguments: {} };
  const wrong: [object, string][] = [
    [{ tool: 'plugin_tool' }, 'invalid_arguments'],
    [{ tool: 'plugin_tool', params: 'x' }, 'invalid_arguments'],
    [{ tool: 'plugin_tool', params: { action: 'outlaw' } }, 'invalid_arguments'],
    [{ tool: 'plugin_tool', params: { action: 'list', runner: '' } }, 'invalid_runner'],
    [{ tool: 'plugin_tool', params: { ...call, runner: 'here' } }, 'invalid_arguments'],
    [
      { tool: 'plugin_tool', params: { ...call, arguments: { text: 'x'.repeat(65_600) } } },
      'invalid_arguments',
    ],
    [{ tool: 'plugin_tool', params: { ...call, binding: 'wc_pbind_unknown' } }, 'describe_required'],
    [{ tool: 'plugin_tool', params: call, recording_session_id: 'ses_none' }, 'unknown_session_id'],
  ];
  for (const [body, code] of wrong) {
    const answer = await callTool(port, token, body as never);
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.envelope.error?.code, code);
    assert.equal(answer.envelope.dispatch_certainty, 'not_started');
    assert.equal(answer.envelope.output, null);
  }
  assert.deepEqual(calls, []);
});

test('under restricted a call is refused with permission_denied before anything is sent', async (t) => {
  hygiene(t);
  const fixture = await startGateway(t, { authority: 'restricted' });
  const peer = await runner(t, fixture.port, await fixture.mintRunner('here'), 'here');
  const { calls } = serveEcho(peer);
  const binding = await describe(fixture, fixture.token);
  const answer = await callTool(fixture.port, fixture.token, {
    tool: 'plugin_tool',
    params: { action: 'call', binding, arguments: {} },
  });
  assert.equal(answer.status, 400);
  assert.equal(answer.envelope.error?.code, 'permission_denied');
  assert.equal(answer.envelope.dispatch_certainty, 'not_started');
  assert.deepEqual(calls, []);
});

test('a Runner that goes away with a call in hand leaves it outcome_unknown, and the next one is told that it is gone', async (t) => {
  hygiene(t);
  const fixture = await startGateway(t);
  const { port, token } = fixture;
  const peer = await runner(t, port, await fixture.mintRunner('here'), 'here');
  const handed = new Promise<void>((resolve) => {
    serveEcho({
      ...peer,
      send(frame) {
        const { response } = frame as { response: { payload: { kind: string } } };
        if (response.payload.kind !== 'tools_call') peer.send(frame);
        else {
          resolve();
          peer.socket.terminate();
        }
      },
    });
  });
  const binding = await describe(fixture, token);
  const params = { action: 'call', binding, arguments: {} };
  const lost = await callTool(port, token, { tool: 'plugin_tool', params });
  await handed;
  assert.equal(lost.status, 400);
  assert.equal(lost.envelope.error?.code, 'runner_unavailable');
  assert.equal(lost.envelope.dispatch_certainty, 'outcome_unknown');
  const next = await callTool(port, token, { tool: 'plugin_tool', params });
  assert.equal(next.envelope.error?.code, 'runner_unavailable');
  assert.equal(next.envelope.dispatch_certainty, 'not_started');
});

test('two Runners with the same provider ids and tool names never mix', async (t) => {
  hygiene(t);
  const fixture = await startGateway(t);
  const { port, token } = fixture;
  const served = [];
  for (const id of ['left', 'right']) {
    const peer = await runner(t, port, await fixture.mintRunner(id), id, `instance-of-${id}`);
    served.push(serveEcho(peer, `provider-of-${id}`));
  }
  const bindings = [await describe(fixture, token, 'left'), await describe(fixture, token, 'right')];
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      callTool(port, token, {
        tool: 'plugin_tool',
        params: { action: 'call', binding: bindings[index % 2] as string, arguments: { index } },
      }),
    ),
  );
  for (const [index, answer] of answers.entries()) {
    const text = index % 2 === 0 ? 'provider-of-left said so' : 'provider-of-right said so';
    assert.deepEqual(answer.envelope.output, { content: [{ type: 'text', text }] });
  }
  assert.deepEqual(
    served.map((one) =>
      one.calls.map((call) => (call.arguments as { index: number }).index).sort((a, b) => a - b),
    ),
    [
      Array.from({ length: 20 }, (_, index) => index * 2),
      Array.from({ length: 20 }, (_, index) => index * 2 + 1),
    ],
  );
});

test('a token limited to one Runner neither sees nor describes nor calls the other', async (t) => {
  hygiene(t);
  const fixture = await startGateway(t);
  const { port, token, mint } = fixture;
  const served = [];
  for (const id of ['left', 'right']) {
    served.push(serveEcho(await runner(t, port, await fixture.mintRunner(id), id, `instance-of-${id}`)));
  }
  const limited = await mint(['plugin:inspect', 'plugin:invoke', 'plugin:manage'], ['left']);
  const list = await callTool(port, limited, { tool: 'plugin_tool', params: { action: 'list' } });
  assert.deepEqual(list.envelope.output, { runners: [{ runner: 'left' }] });
  const foreign = await describe(fixture, token, 'right');
  const cases: [object, string][] = [
    [{ action: 'list', runner: 'right' }, 'runner_unavailable'],
    [{ action: 'describe', runner: 'right', plugin: 'echo', tool: 'say' }, 'runner_unavailable'],
    [{ action: 'check', runner: 'right', plugin: 'echo' }, 'runner_unavailable'],
    [{ action: 'reload', runner: 'right' }, 'runner_unavailable'],
    [{ action: 'call', binding: foreign, arguments: {} }, 'describe_required'],
  ];
  for (const [params, code] of cases) {
    const answer = await callTool(port, limited, { tool: 'plugin_tool', params: params as never });
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.envelope.error?.code, code);
    assert.equal(answer.envelope.dispatch_certainty, 'not_started');
  }
  assert.deepEqual(served[1]?.calls, []);
  const own = await describe(fixture, limited, 'left');
  const answer = await callTool(port, limited, {
    tool: 'plugin_tool',
    params: { action: 'call', binding: own, arguments: {} },
  });
  assert.equal(answer.status, 200);
});

test('each invocation is one row of the journal under the token that asked', async (t) => {
  const fixture = await serving(t);
  const { port, token, mint, store, tokens } = fixture;
  const binding = await describe(fixture, token);
  await callTool(port, token, { tool: 'plugin_tool', params: { action: 'call', binding, arguments: {} } });
  await callTool(port, await mint(['session:read']), { tool: 'plugin_tool', params: { action: 'list' } });
  await callTool(port, token, { tool: 'plugin_tool', params: { action: 'reload', runner: 'nobody' } });
  const rows = await store.read<JournalRow>(
    'SELECT action, principal, certainty, code FROM journal ORDER BY seq',
  );
  const [owner, other] = tokens.list().filter((row) => row.kind === 'personal');
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { action: 'describe', principal: `token:${owner?.id}`, certainty: 'completed', code: null },
      { action: 'call', principal: `token:${owner?.id}`, certainty: 'completed', code: null },
      {
        action: 'list',
        principal: `token:${other?.id}`,
        certainty: 'not_started',
        code: 'insufficient_scope',
      },
      {
        action: 'reload',
        principal: `token:${owner?.id}`,
        certainty: 'not_started',
        code: 'runner_unavailable',
      },
    ],
  );
});
