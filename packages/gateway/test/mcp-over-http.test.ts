import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import type { Invocation } from '@fairlead/dispatch';
import { hygiene } from '@fairlead/testing';
import { fakeExecutor, type GatewayFixture, startGateway } from './fixture/gateway-fixture.ts';
import { ask } from './fixture/http-client.ts';
import { call, type Era, eras, post, rpc } from './fixture/mcp-client.ts';
import { runner, serveEcho } from './fixture/runner-peer.ts';

const SERVER = { name: 'fairlead', title: 'Fairlead', version: '9.9.9' };

async function serving(t: TestContext): Promise<GatewayFixture & { readonly calls: readonly unknown[] }> {
  hygiene(t);
  const fixture = await startGateway(t);
  const peer = await runner(t, fixture.port, await fixture.mintRunner('here'), 'here');
  return { ...fixture, ...serveEcho(peer) };
}

/** What the gateway adds to every result of the newer revision. */
function own(era: Era, result: JsonObject): JsonObject {
  if (era === '2025-11-25') return result;
  const { resultType, _meta, ...rest } = result;
  assert.equal(resultType, 'complete');
  const { 'io.modelcontextprotocol/serverInfo': info, ...meta } = _meta as JsonObject;
  assert.deepEqual(info, SERVER);
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

async function bind(fixture: GatewayFixture, era: Era): Promise<string> {
  const given = { action: 'describe', runner: 'here', plugin: 'echo', tool: 'say' };
  const result = await call(fixture.port, fixture.token, era, 'plugin_tool', given);
  return (result['structuredContent'] as { binding: string }).binding;
}

test('a 2025 client initializes and is told what the server is, what it can and how it is used', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t);
  for (const [asked, spoken] of [
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2099-01-01', '2025-11-25'],
  ]) {
    const params = {
      protocolVersion: asked ?? '',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const request = rpc('2025-11-25', 'initialize', params);
    const { status, contentType, message } = await post(port, token, {
      body: request.body,
      headers: { accept: request.headers['accept'] ?? '' },
    });
    assert.equal(status, 200);
    assert.match(contentType ?? '', /^application\/json/);
    const { instructions, ...result } = message.result ?? {};
    assert.deepEqual(result, { protocolVersion: spoken, capabilities: { tools: {} }, serverInfo: SERVER });
    assert.match(String(instructions), /plugin_tool/);
  }
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const { headers } = rpc('2025-11-25', 'x');
  const accepted = await post(port, token, { body: initialized, headers });
  assert.deepEqual([accepted.status, accepted.text], [202, '']);
});

test('a 2026 client discovers the same without any state', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t);
  const { status, message } = await post(port, token, rpc('2026-07-28', 'server/discover'));
  assert.equal(status, 200);
  const { instructions, supportedVersions, capabilities, ttlMs, cacheScope } = message.result ?? {};
  assert.match(String(instructions), /outcome_unknown/);
  assert.deepEqual(supportedVersions, ['2026-07-28']);
  assert.deepEqual(capabilities, { tools: {} });
  assert.deepEqual([ttlMs, cacheScope], [300_000, 'public']);
});

for (const era of eras) {
  test(`${era}: the list is the same bytes for every token and on every connection, and no tool has an outputSchema`, async (t) => {
    const { port, token, mint } = await serving(t);
    const list = async (secret: string) => (await post(port, secret, rpc(era, 'tools/list'))).text;
    const first = await list(token);
    assert.equal(await list(await mint(['session:read'])), first);
    assert.equal(await list(await mint(['plugin:inspect'], ['elsewhere'])), first);
    const { tools } = JSON.parse(first).result as { tools: JsonObject[] };
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['plugin_tool', 'work_on_project', 'read_tool_manifest', 'call_runtime_tool'],
    );
    for (const tool of tools) {
      assert.deepEqual(Object.keys(tool), ['name', 'description', 'inputSchema', 'annotations']);
      const schema = tool['inputSchema'] as { properties: JsonObject; additionalProperties: boolean };
      assert.equal(schema.additionalProperties, false);
      assert.deepEqual(schema.properties['recording_session_id'], {
        type: 'string',
        minLength: 1,
        maxLength: 128,
        description: 'Optional, for every tool: id of a session of this host to record the call in.',
      });
    }
    assert.deepEqual(tools[0]?.['annotations'], {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });
  });

  test(`${era}: a metadata action answers fixed words, its output as text and as structured content, and the certainty`, async (t) => {
    const { port, token } = await serving(t);
    const result = own(era, await call(port, token, era, 'plugin_tool', { action: 'list', runner: 'here' }));
    const output = {
      runner: 'here',
      plugins: [{ plugin: 'echo', name: 'Echo', status: 'ready', errorCode: null }],
    };
    const { _meta, ...rest } = result;
    const { call: id, ...meta } = _meta as JsonObject;
    assert.match(String(id), /^call_/);
    assert.deepEqual(meta, { dispatchState: 'completed' });
    assert.deepEqual(rest, {
      content: [
        {
          type: 'text',
          text: 'What there is now: Runners, the plugins of one, or the tools of one plugin.',
        },
        { type: 'text', text: JSON.stringify(output) },
      ],
      structuredContent: output,
    });
  });

  test(`${era}: a provider’s result is handed on as it is, with certainty and call in _meta`, async (t) => {
    const fixture = await serving(t);
    const binding = await bind(fixture, era);
    const given = { action: 'call', binding, arguments: { text: 'hi' } };
    const result = own(era, await call(fixture.port, fixture.token, era, 'plugin_tool', given));
    const { _meta, ...rest } = result;
    const { call: id, ...meta } = _meta as JsonObject;
    assert.deepEqual(rest, { content: [{ type: 'text', text: 'provider-1 said so' }] });
    assert.deepEqual(meta, { dispatchState: 'completed' });
    const rows = await fixture.store.read<{ id: string; action: string }>('SELECT id, action FROM journal');
    assert.ok(rows.some((row) => row.id === id && row.action === 'call'));
    assert.equal(fixture.calls.length, 1);
  });

  test(`${era}: keys that look like JavaScript’s own survive, in arguments and in results`, async (t) => {
    hygiene(t);
    const output = JSON.parse(
      '{"content":[],"structuredContent":{"__proto__":{"a":1},"constructor":2,"b":{"__proto__":3}},"isError":true}',
    ) as JsonObject;
    const { executor, asked } = fakeExecutor(() => ({
      call: 'call_x',
      certainty: 'completed',
      output,
      isProviderResult: true,
      failureKind: 'plugin_tool_error',
    }));
    const { port, token } = await startGateway(t, { executor });
    const given = JSON.parse(
      '{"__proto__":{"x":1},"action":"call","arguments":{"__proto__":3}}',
    ) as JsonObject;
    const { headers, body } = rpc(era, 'tools/call', { name: 'plugin_tool', arguments: given });
    const answer = await post(port, token, { headers, body });
    const { _meta, resultType, ...rest } = answer.message.result ?? {};
    assert.equal(JSON.stringify(rest), JSON.stringify(output));
    assert.equal(JSON.stringify((asked[0] as { params: Json }).params), JSON.stringify(given));
  });

  test(`${era}: a failure has code, certainty, recovery and call, and words of at most 1024 bytes`, async (t) => {
    const { port, mint } = await serving(t);
    const narrow = await mint(['plugin:inspect']);
    const given = { action: 'call', binding: 'wc_pbind_AAAAAAAAAAAAAAAAAAAAAA', arguments: {} };
    const result = own(era, await call(port, narrow, era, 'plugin_tool', given));
    const { call: id } = result['structuredContent'] as JsonObject;
    assert.match(String(id), /^call_/);
    const message = 'The token does not have the scope that this action needs; nothing was sent.';
    const recovery = 'Use a token with the scope plugin:invoke. No scope implies another.';
    assert.deepEqual(result, {
      content: [
        {
          type: 'text',
          text: `${message} (insufficient_scope)\nCertainty: not_started.\nNext: ${recovery}\nCall: ${id}\nDetail: {"scope":"plugin:invoke"}`,
        },
      ],
      structuredContent: {
        error: { code: 'insufficient_scope', message, detail: { scope: 'plugin:invoke' } },
        dispatchState: 'not_started',
        recovery,
        call: id,
      },
      isError: true,
    });
  });

  test(`${era}: recording_session_id is taken out before the tool reads its arguments`, async (t) => {
    hygiene(t);
    const { executor, asked } = fakeExecutor();
    const { port, token } = await startGateway(t, { executor });
    const invoke = (given: JsonObject) => call(port, token, era, 'plugin_tool', given);
    await invoke({ action: 'list', recording_session_id: 'ses_x' });
    await invoke({ action: 'list', recording_session_id: null });
    await invoke({ action: 'list' });
    assert.deepEqual(
      asked.map((request) => [request.params, request.recordingSessionId]),
      [
        [{ action: 'list' }, 'ses_x'],
        [{ action: 'list' }, undefined],
        [{ action: 'list' }, undefined],
      ],
    );
    for (const wrong of ['', 7, ['ses_x'], 'x'.repeat(129)]) {
      const result = await invoke({ action: 'list', recording_session_id: wrong });
      assert.deepEqual((result['structuredContent'] as JsonObject)['error'], {
        code: 'invalid_arguments',
        message: 'The arguments are not what the tool takes; nothing was sent.',
        detail: { member: 'recording_session_id', problem: 'must be 1 to 128 bytes' },
      });
    }
    assert.equal(asked.length, 3);
  });

  test(`${era}: a session that does not exist is refused on every tool`, async (t) => {
    const { port, token } = await serving(t);
    for (const [name, given] of [
      ['plugin_tool', { action: 'list' }],
      ['read_tool_manifest', { tool_name: 'plugin_tool' }],
      ['call_runtime_tool', { tool: 'plugin_tool' }],
    ] as const) {
      const result = await call(port, token, era, name, { ...given, recording_session_id: 'ses_none' });
      const { error } = result['structuredContent'] as { error: { code: string } };
      assert.equal(error.code, 'unknown_session_id', name);
    }
  });

  test(`${era}: the context that is asked for in _meta reaches the tool, and what it gives comes back there`, async (t) => {
    hygiene(t);
    const { executor, asked } = fakeExecutor(() => ({
      certainty: 'completed',
      output: {},
      summary: 'Done.',
      context: { 'plugins.catalog': { entries: [] } },
    }));
    const { port, token } = await startGateway(t, { executor });
    const meta = { 'fairlead/context': ['plugins.catalog'] };
    const result = own(era, await call(port, token, era, 'plugin_tool', {}, meta));
    assert.deepEqual(result['_meta'], {
      dispatchState: 'completed',
      'fairlead/context': { 'plugins.catalog': { entries: [] } },
    });
    assert.deepEqual(asked[0]?.context, ['plugins.catalog']);
    const wrong = await call(port, token, era, 'plugin_tool', {}, { 'fairlead/context': 'plugins.catalog' });
    assert.equal(wrong['isError'], true);
  });

  test(`${era}: a tool that there is not, and one that is no direct tool’s, is a fault of the protocol`, async (t) => {
    const { port, token } = await serving(t);
    const answer = await post(port, token, rpc(era, 'tools/call', { name: 'no_such_tool', arguments: {} }));
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.message.error, {
      code: -32602,
      message: 'There is no tool of this name.',
      data: {
        code: 'unknown_tool',
        recovery: 'Take the name from the list of tools; a provider’s tool is reached through plugin_tool.',
      },
    });
  });

  test(`${era}: what is done but not journalled keeps its result and says so, without isError`, async (t) => {
    hygiene(t);
    const error = { code: 'journal_unsettled', message: 'Not told.', recovery: 'Do not repeat it.' };
    const invocations: Invocation[] = [
      { call: 'call_1', certainty: 'completed', output: { content: [] }, isProviderResult: true, error },
      { call: 'call_2', certainty: 'completed', output: { plugins: [] }, summary: 'Done.', error },
    ];
    const { executor } = fakeExecutor(() => invocations.shift() ?? { certainty: 'completed' });
    const { port, token } = await startGateway(t, { executor });
    const invoke = async () => own(era, await call(port, token, era, 'plugin_tool', {}));
    const meta = (id: string) => ({
      dispatchState: 'completed',
      call: id,
      error: { code: 'journal_unsettled', message: 'Not told.' },
    });
    assert.deepEqual(await invoke(), { content: [], _meta: meta('call_1') });
    assert.deepEqual(await invoke(), {
      content: [
        { type: 'text', text: 'Done.' },
        { type: 'text', text: '{"plugins":[]}' },
      ],
      structuredContent: { plugins: [] },
      _meta: meta('call_2'),
    });
    const none = await invoke();
    assert.deepEqual(none['structuredContent'], {
      error: { code: 'internal_error', message: 'The gateway has no answer.' },
      dispatchState: 'completed',
    });
  });

  test(`${era}: long words of a failure are cut at 1024 bytes, between characters`, async (t) => {
    hygiene(t);
    const { executor } = fakeExecutor(() => ({
      certainty: 'not_started',
      error: { code: 'some_code', message: '’'.repeat(600) },
    }));
    const { port, token } = await startGateway(t, { executor });
    const { content } = await call(port, token, era, 'plugin_tool', {});
    const [{ text }] = content as unknown as [{ text: string }];
    assert.equal(Buffer.byteLength(text), 1023);
    assert.match(text, /^’+$/);
  });
}

test('GET and DELETE are 405 with the methods there are; a request without a token is 401 and says how', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t);
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const answer = await ask(port, { path: '/mcp', method, token });
    assert.equal(answer.status, 405, method);
    assert.equal(answer.headers['allow'], 'POST, OPTIONS', method);
  }
  for (const secret of [undefined, 'fairlead_pat_nonsense']) {
    const answer = await ask(port, { path: '/mcp', token: secret, ...rpc('2025-11-25', 'tools/list') });
    assert.equal(answer.status, 401);
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm="fairlead"');
    assert.equal(answer.envelope.error?.code, 'unauthorized');
  }
});

test('a page of another origin and a foreign Host are refused on /mcp too', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t);
  const { headers, body } = rpc('2025-11-25', 'tools/list');
  const from = (extra: Record<string, string>) =>
    ask(port, { path: '/mcp', token, body, headers: { ...headers, ...extra } });
  assert.equal((await from({ origin: 'https://evil.example' })).envelope.error?.code, 'origin_not_allowed');
  assert.equal((await from({ host: 'evil.example' })).envelope.error?.code, 'host_not_allowed');
});

test('the HTTP route gives the same MCP result to who asks for it', async (t) => {
  const fixture = await serving(t);
  const { port, token } = fixture;
  const accept = { accept: 'application/vnd.fairlead.mcp-result+json' };
  const body = { tool: 'plugin_tool', params: { action: 'list' } };
  const answer = await ask(port, { path: '/api/tools/call', token, body, headers: accept });
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, `${accept.accept}; charset=utf-8`]);
  const { _meta, ...result } = JSON.parse(answer.text) as JsonObject;
  const { _meta: _same, ...expected } = await call(port, token, '2025-11-25', 'plugin_tool', {
    action: 'list',
  });
  assert.deepEqual(result, expected);
  const refused = await ask(port, {
    path: '/api/tools/call',
    token,
    body: { tool: 'none' },
    headers: accept,
  });
  assert.deepEqual([refused.status, refused.envelope.error?.code], [404, 'unknown_tool']);
});
