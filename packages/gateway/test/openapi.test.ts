import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hygiene } from '@fairlead/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { routes } from '../src/http/routes.ts';
import { approval, FakeSessions } from './fixture/fake-sessions.ts';
import { startGateway } from './fixture/gateway-fixture.ts';
import { type Ask, ask } from './fixture/http-client.ts';

type Operation = {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: JsonObject } };
  };
  readonly responses: Readonly<
    Record<string, { readonly content: { readonly 'application/json': { readonly schema: JsonObject } } }>
  >;
};
type Document = JsonObject & {
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: JsonObject };
};

async function documentOf(port: number): Promise<Document> {
  const { status, text, headers } = await ask(port, { path: '/openapi.json' });
  assert.equal(status, 200);
  assert.match(headers['content-type'] ?? '', /^application\/json/);
  return JSON.parse(text) as Document;
}

test('/openapi.json is a valid OpenAPI 3.1 document that anybody may read, with the address of the gateway', async (t) => {
  hygiene(t);
  const { port, url } = await startGateway(t);
  const document = await documentOf(port);
  const validator = new Validator();
  const { valid, errors } = await validator.validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  );
  assert.equal(valid, true, JSON.stringify(errors));
  assert.equal(validator.version, '3.1');
  assert.equal(document.servers[0].url, url);
  const behind = await startGateway(t, { config: { publicUrl: 'https://fairlead.example' } });
  assert.equal((await documentOf(behind.port)).servers[0].url, 'https://fairlead.example');
});

test('it describes every route but those with a protocol of their own, each once', async (t) => {
  hygiene(t);
  const { port } = await startGateway(t);
  const { paths } = await documentOf(port);
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(described.sort(), [
    'DELETE /api/admin/extensions/{name}',
    'DELETE /api/admin/tokens/{id}',
    'GET /api/admin/extensions',
    'GET /api/admin/extensions/{name}/diff',
    'GET /api/admin/extensions/{name}/output',
    'GET /api/admin/journal',
    'GET /api/admin/status',
    'GET /api/admin/tokens',
    'GET /api/approvals',
    'GET /api/models',
    'GET /api/schedules',
    'GET /api/sessions',
    'GET /api/sessions/{id}',
    'GET /api/sessions/{id}/entries',
    'GET /api/sessions/{id}/export',
    'GET /api/sessions/{id}/stream',
    'GET /healthz',
    'GET /openapi.json',
    'PATCH /api/sessions/{id}',
    'POST /api/admin/backup',
    'POST /api/admin/extensions',
    'POST /api/admin/extensions/{name}/approve',
    'POST /api/admin/extensions/{name}/reload',
    'POST /api/admin/models/reload',
    'POST /api/admin/pairings',
    'POST /api/admin/pause',
    'POST /api/admin/resume',
    'POST /api/admin/stop',
    'POST /api/admin/tokens',
    'POST /api/approvals/{id}',
    'POST /api/runner/pair',
    'POST /api/sessions',
    'POST /api/sessions/{id}/cancel',
    'POST /api/sessions/{id}/command',
    'POST /api/sessions/{id}/continue',
    'POST /api/sessions/{id}/entries',
    'POST /api/sessions/{id}/run',
    'POST /api/tools/call',
    'POST /api/tools/list',
  ]);
  const ids = Object.values(paths).flatMap((operations) =>
    Object.values(operations).map((one) => one.operationId),
  );
  assert.equal(new Set(ids).size, ids.length);
});

test('every route of the description is registered, and no request finds another', async (t) => {
  hygiene(t);
  const { port } = await startGateway(t);
  for (const { method, path } of routes) {
    const answer = await ask(port, { method, path: path.replaceAll(/:\w+/g, 'x') });
    assert.ok([200, 400, 401, 426].includes(answer.status), `${method} ${path}: ${answer.status}`);
    const { status, headers } = await ask(port, { method: 'PUT', path: path.replaceAll(/:\w+/g, 'x') });
    assert.equal(status, 405, path);
    assert.ok(headers['allow']?.split(', ').includes(method), path);
  }
  for (const path of ['/', '/api', '/api/tools', '/api/admin/tokens/', '/api/admin/tokens/a/b', '/mcp/'])
    assert.equal((await ask(port, { path })).status, 404, path);
});

test('answers of the gateway are what the description says of them', async (t) => {
  hygiene(t);
  const host = new FakeSessions();
  const session = host.add('a');
  host.entriesOf.set(session, [{ id: 'entry_1', type: 'message' } as never]);
  host.approvalRows.set('apr_1', approval('a', { id: 'apr_1' }));
  const { port, token, mint } = await startGateway(t, { sessions: host });
  const narrow = await mint(['session:read']);
  const document = await documentOf(port);
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema({ $id: 'https://fairlead.test/openapi', components: document.components } as object);
  const holds = (schema: Json, value: Json) => {
    // References are relative to the document.
    const text = JSON.stringify(schema).replaceAll(
      '"#/components',
      '"https://fairlead.test/openapi#/components',
    );
    const validate = ajv.compile(JSON.parse(text) as object);
    return validate(value) ? null : JSON.stringify(validate.errors);
  };
  const requests: readonly (readonly [string, string, Ask])[] = [
    ['/healthz', 'get', { path: '/healthz' }],
    ['/api/tools/list', 'post', { path: '/api/tools/list', token, body: {} }],
    [
      '/api/tools/call',
      'post',
      { path: '/api/tools/call', token, body: { tool: 'plugin_tool', params: { action: 'list' } } },
    ],
    ['/api/tools/call', 'post', { path: '/api/tools/call', token, body: { tool: 'none', params: {} } }],
    [
      '/api/tools/call',
      'post',
      { path: '/api/tools/call', token: narrow, body: { tool: 'plugin_tool', params: { action: 'list' } } },
    ],
    ['/api/tools/call', 'post', { path: '/api/tools/call', token, bytes: '{' }],
    ['/api/tools/call', 'post', { path: '/api/tools/call', body: {} }],
    ['/api/admin/tokens', 'get', { path: '/api/admin/tokens', token }],
    [
      '/api/admin/tokens',
      'post',
      { path: '/api/admin/tokens', token, body: { name: 'x', scopes: ['session:read'] } },
    ],
    ['/api/admin/tokens', 'post', { path: '/api/admin/tokens', token, body: { runner: 'far' } }],
    ['/api/admin/tokens', 'post', { path: '/api/admin/tokens', token, body: { name: 7 } }],
    ['/api/admin/tokens', 'get', { path: '/api/admin/tokens', token: narrow }],
    ['/api/admin/tokens/{id}', 'delete', { path: '/api/admin/tokens/none', method: 'DELETE', token }],
    ['/api/admin/pairings', 'post', { path: '/api/admin/pairings', token, body: { runner: 'far' } }],
    ['/api/admin/pairings', 'post', { path: '/api/admin/pairings', token, body: { runner: 7 } }],
    ['/api/runner/pair', 'post', { path: '/api/runner/pair', body: { code: 'none' } }],
    ['/api/admin/status', 'get', { path: '/api/admin/status', token }],
    ['/api/admin/journal', 'get', { path: '/api/admin/journal', token }],
    ['/api/admin/journal', 'get', { path: '/api/admin/journal?limit=0', token }],
    ['/api/admin/backup', 'post', { path: '/api/admin/backup', token, body: { to: '/srv/backup' } }],
    ['/api/admin/backup', 'post', { path: '/api/admin/backup', token, body: { to: 'backup' } }],
    ['/api/sessions', 'get', { path: '/api/sessions', token }],
    ['/api/sessions', 'get', { path: '/api/sessions?limit=none', token }],
    ['/api/sessions', 'post', { path: '/api/sessions', token, body: { name: 'work', agents: ['fox'] } }],
    ['/api/sessions', 'post', { path: '/api/sessions', token, body: { agents: ['nobody'] } }],
    ['/api/sessions', 'post', { path: '/api/sessions', token: narrow, body: {} }],
    ['/api/sessions/{id}', 'get', { path: `/api/sessions/${session}`, token }],
    ['/api/sessions/{id}', 'get', { path: '/api/sessions/none', token }],
    [
      '/api/sessions/{id}',
      'patch',
      { method: 'PATCH', path: `/api/sessions/${session}`, token, body: { name: null, mode: 'inspect' } },
    ],
    ['/api/sessions/{id}/entries', 'get', { path: `/api/sessions/${session}/entries`, token }],
    [
      '/api/sessions/{id}/entries',
      'post',
      { path: `/api/sessions/${session}/entries`, token, body: { text: 'hello', key: 'k' } },
    ],
    [
      '/api/sessions/{id}/run',
      'post',
      { path: `/api/sessions/${session}/run`, token, body: { text: 'hello', approve: 'all' } },
    ],
    ['/api/sessions/{id}/cancel', 'post', { path: `/api/sessions/${session}/cancel`, method: 'POST', token }],
    [
      '/api/sessions/{id}/continue',
      'post',
      { path: `/api/sessions/${session}/continue`, method: 'POST', token },
    ],
    [
      '/api/sessions/{id}/command',
      'post',
      { path: `/api/sessions/${session}/command`, token, body: { line: '/help' } },
    ],
    ['/api/approvals', 'get', { path: '/api/approvals', token }],
    ['/api/approvals/{id}', 'post', { path: '/api/approvals/apr_1', token, body: { decision: 'deny' } }],
    ['/api/approvals/{id}', 'post', { path: '/api/approvals/apr_1', token, body: { decision: 'approve' } }],
    ['/api/schedules', 'get', { path: '/api/schedules', token }],
    ['/api/models', 'get', { path: '/api/models', token }],
    ['/api/admin/models/reload', 'post', { path: '/api/admin/models/reload', method: 'POST', token }],
    ['/api/admin/pause', 'post', { path: '/api/admin/pause', method: 'POST', token }],
    ['/api/admin/resume', 'post', { path: '/api/admin/resume', method: 'POST', token }],
    ['/api/admin/stop', 'post', { path: '/api/admin/stop', method: 'POST', token }],
  ];
  for (const [path, method, wanted] of requests) {
    const { status, text } = await ask(port, wanted);
    const described = document.paths[path]?.[method]?.responses[status];
    assert.ok(described !== undefined, `${method} ${path}: ${status} is not described`);
    assert.equal(
      holds(described.content['application/json'].schema, JSON.parse(text) as Json),
      null,
      `${path} ${text}`,
    );
    const taken = document.paths[path]?.[method]?.requestBody?.content['application/json'].schema;
    if (taken !== undefined && status === 200 && wanted.body !== undefined)
      assert.equal(holds(taken, wanted.body), null, JSON.stringify(wanted.body));
  }
});
