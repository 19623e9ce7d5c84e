import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import { type TestContext, test } from 'node:test';
import { hygiene, manualClock } from '@fairlead/testing';
import { fakeExecutor, startGateway } from './fixture/gateway-fixture.ts';
import { ask, callTool, envelopeOf, exchange } from './fixture/http-client.ts';

const LIST = { tool: 'plugin_tool', params: { action: 'list' } };

async function start(t: TestContext) {
  hygiene(t);
  const { executor, asked } = fakeExecutor();
  const fixture = await startGateway(t, { executor });
  return { ...fixture, asked };
}

test('a request without a token is 401, in the envelope, with a challenge, and reaches no executor', async (t) => {
  const { port, asked } = await start(t);
  const answer = await callTool(port, undefined, LIST);
  assert.equal(answer.status, 401);
  assert.equal(answer.headers['www-authenticate'], 'Bearer realm="fairlead"');
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.deepEqual(answer.envelope, {
    success: false,
    output: null,
    error: {
      code: 'unauthorized',
      message: 'The request carries no `Authorization: Bearer` token.',
      recovery:
        'Send `Authorization: Bearer fairlead_pat_…` with a token that `fairlead token list` shows as live; the Runner link takes a Runner token instead.',
      detail: { reason: 'token_missing' },
    },
    dispatch_certainty: 'not_started',
  });
  assert.equal(asked.length, 0);
});

test('each way in which a token fails is 401 with its own reason', async (t) => {
  const { port, mintRunner, asked } = await start(t);
  const reasons = async (headers: Record<string, string>) => {
    const answer = await ask(port, { path: '/api/tools/call', body: LIST, headers });
    assert.equal(answer.status, 401);
    assert.equal(answer.envelope.error?.code, 'unauthorized');
    return answer.envelope.error?.detail;
  };
  const runnerToken = await mintRunner('here');
  assert.deepEqual(await reasons({ authorization: 'Bearer nonsense' }), { reason: 'token_malformed' });
  assert.deepEqual(await reasons({ authorization: 'Basic Zm9vOmJhcg==' }), { reason: 'token_missing' });
  assert.deepEqual(await reasons({ authorization: `Bearer fairlead_pat_${'A'.repeat(43)}` }), {
    reason: 'token_unknown',
  });
  assert.deepEqual(await reasons({ authorization: `Bearer ${runnerToken}` }), { reason: 'token_kind_wrong' });
  assert.deepEqual(await reasons({ authorization: `Bearer ${runnerToken} x` }), { reason: 'token_missing' });
  assert.equal(asked.length, 0);
});

test('a revoked token is refused from the next request on', async (t) => {
  const { port, tokens, asked } = await start(t);
  const minted = await tokens.mint({ name: 'short', scopes: ['plugin:inspect'] });
  assert.equal((await callTool(port, minted.secret, LIST)).status, 200);
  await tokens.revoke(minted.token.id);
  const answer = await callTool(port, minted.secret, LIST);
  assert.equal(answer.status, 401);
  assert.deepEqual(answer.envelope.error?.detail, { reason: 'token_revoked' });
  assert.equal(asked.length, 1);
});

test('a token is refused at the moment it expires, on a connection that is already open too', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const { executor, asked } = fakeExecutor();
  const { port, tokens } = await startGateway(t, { executor, clock });
  const { secret } = await tokens.mint({ name: 'minute', scopes: ['plugin:inspect'], lifetimeMs: 60_000 });
  await clock.advance(59_999);
  assert.equal((await callTool(port, secret, LIST)).status, 200);
  await clock.advance(1);
  const answer = await callTool(port, secret, LIST);
  assert.equal(answer.status, 401);
  assert.deepEqual(answer.envelope.error?.detail, { reason: 'token_expired' });
  assert.equal(asked.length, 1);
});

test('on one open socket a revoked token, an expired one and another one are each judged anew', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const { executor, asked } = fakeExecutor();
  const { port, tokens } = await startGateway(t, { executor, clock });
  const first = await tokens.mint({ name: 'first', scopes: ['plugin:inspect'] });
  const second = await tokens.mint({ name: 'second', scopes: ['plugin:invoke'], lifetimeMs: 60_000 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const sockets = new Set<unknown>();
  const call = (secret: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const request = httpRequest({
        host: '127.0.0.1',
        port,
        path: '/api/tools/call',
        method: 'POST',
        agent,
        headers,
      });
      request.on('socket', (socket) => sockets.add(socket));
      request.on('error', reject);
      request.on('response', (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode));
      });
      request.end(JSON.stringify(LIST));
    });
  assert.equal(await call(first.secret), 200);
  assert.equal(await call(first.secret), 200);
  assert.equal(await call(second.secret), 200);
  assert.equal(await call(first.secret), 200);
  await tokens.revoke(first.token.id);
  assert.equal(await call(first.secret), 401);
  assert.equal(await call(second.secret), 200);
  clock.jumpWall(60_000);
  assert.equal(await call(second.secret), 401);
  assert.equal(sockets.size, 1);
  assert.deepEqual(
    asked.map((one) => one.principal.scopes),
    [['plugin:inspect'], ['plugin:inspect'], ['plugin:invoke'], ['plugin:inspect'], ['plugin:invoke']],
  );
});

test('a foreign Host is 403 on every route, before the token is looked at', async (t) => {
  const { port, token, asked } = await start(t);
  for (const host of [
    'evil.example',
    'evil.example:7420',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    ' ',
  ]) {
    for (const path of ['/api/tools/call', '/healthz', '/api/admin/status', '/nothing']) {
      const answer = await ask(port, { path, token, headers: { host } });
      assert.equal(answer.status, 403, `${host} ${path}`);
      assert.equal(answer.envelope.error?.code, 'host_not_allowed');
    }
  }
  assert.equal(asked.length, 0);
});

test('every name of this machine is a Host that is taken, whatever the port', async (t) => {
  const { port } = await start(t);
  for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:9', '[::1]:7420', 'localhost.']) {
    assert.equal((await ask(port, { path: '/healthz', headers: { host } })).status, 200, host);
  }
});

test('the public URL is a Host and an Origin that is taken', async (t) => {
  hygiene(t);
  const { executor } = fakeExecutor();
  const { port, token } = await startGateway(t, {
    executor,
    config: { publicUrl: 'https://fairlead.example' },
  });
  const headers = { host: 'fairlead.example', origin: 'https://fairlead.example' };
  assert.equal((await ask(port, { path: '/api/tools/call', token, body: LIST, headers })).status, 200);
  const foreign = { host: 'fairlead.example', origin: 'https://other.example' };
  const refused = await ask(port, { path: '/api/tools/call', token, body: LIST, headers: foreign });
  assert.equal(refused.status, 403);
  assert.equal(refused.envelope.error?.code, 'origin_not_allowed');
});

test('a foreign Origin is 403 on every route', async (t) => {
  const { port, token, asked } = await start(t);
  const foreign = [
    'https://evil.example',
    'null',
    'http://localhost:1',
    `https://127.0.0.1:${port}`,
    'nonsense',
    `http://127.0.0.1:${port}/path`,
  ];
  for (const origin of foreign) {
    for (const path of ['/api/tools/call', '/healthz']) {
      const answer = await ask(port, { path, token, headers: { origin } });
      assert.equal(answer.status, 403, origin);
      assert.equal(answer.envelope.error?.code, 'origin_not_allowed');
    }
  }
  assert.equal(asked.length, 0);
});

test('the gateway’s own origin is taken', async (t) => {
  const { port, token } = await start(t);
  const headers = { origin: `http://127.0.0.1:${port}` };
  assert.equal((await ask(port, { path: '/api/tools/call', token, body: LIST, headers })).status, 200);
});

test('two Host headers are refused, whichever comes first', async (t) => {
  const { port } = await start(t);
  const answer = await exchange(
    port,
    'GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
  );
  assert.match(answer, /^HTTP\/1\.1 4\d\d /);
  assert.equal(envelopeOf(answer).success, false);
});

test('a target that names another host is refused', async (t) => {
  const { port } = await start(t);
  const answer = await exchange(
    port,
    'GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  );
  assert.match(answer, /^HTTP\/1\.1 403 /);
  assert.equal(envelopeOf(answer).error?.code, 'host_not_allowed');
});

test('an unknown path is 404 and needs no token', async (t) => {
  const { port, asked } = await start(t);
  for (const path of [
    '/',
    '/api',
    '/api/tools/call/',
    '/api/tools/callx',
    '/API/tools/call',
    '/api/admin/tokens/a/b',
    '/%',
  ]) {
    const answer = await ask(port, { path, method: 'POST', bytes: '{}' });
    assert.equal(answer.status, 404, path);
    assert.equal(answer.envelope.error?.code, 'route_not_found');
    assert.equal(answer.envelope.dispatch_certainty, 'not_started');
  }
  assert.equal(asked.length, 0);
});

test('an id that is too long for any token is 404', async (t) => {
  const { port, token, lines } = await start(t);
  const path = `/api/admin/tokens/${'a'.repeat(101)}`;
  const answer = await ask(port, { path, method: 'DELETE', token });
  assert.equal(answer.status, 404);
  assert.equal(answer.envelope.error?.code, 'route_not_found');
  assert.deepEqual(lines, []);
});

test('a wrong method is 405 and names the right ones', async (t) => {
  const { port } = await start(t);
  const answer = await ask(port, { path: '/api/tools/call?x=1', method: 'GET' });
  assert.equal(answer.status, 405);
  assert.equal(answer.headers.allow, 'POST, OPTIONS');
  assert.equal(answer.envelope.error?.code, 'method_not_allowed');
  for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE']) {
    assert.equal((await ask(port, { path: '/healthz', method })).status, 405, method);
  }
});

test('HEAD answers as GET without a body, OPTIONS names the methods', async (t) => {
  const { port } = await start(t);
  const head = await ask(port, { path: '/healthz', method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
  const options = await ask(port, { path: '/api/tools/call', method: 'OPTIONS' });
  assert.equal(options.status, 204);
  assert.equal(options.headers.allow, 'POST, OPTIONS');
  assert.equal(options.headers['access-control-allow-origin'], undefined);
  assert.equal((await ask(port, { path: '/nothing', method: 'OPTIONS' })).status, 404);
  assert.equal((await ask(port, { path: '/api/tools/call', method: 'HEAD' })).status, 405);
});

test('a body of another type, or compressed, is 415', async (t) => {
  const { port, token, asked } = await start(t);
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json5',
    'json',
    '',
  ];
  for (const type of types) {
    const answer = await ask(port, {
      path: '/api/tools/call',
      token,
      bytes: JSON.stringify(LIST),
      headers: { 'content-type': type },
    });
    assert.equal(answer.status, 415, type);
    assert.equal(answer.envelope.error?.code, 'unsupported_media_type');
  }
  const compressed = await ask(port, {
    path: '/api/tools/call',
    token,
    body: LIST,
    headers: { 'content-encoding': 'gzip' },
  });
  assert.equal(compressed.status, 415);
  assert.equal(asked.length, 0);
});

test('a body that is not JSON as the one scanner reads it is 400 and says why', async (t) => {
  const { port, token, asked } = await start(t);
  const faults: [string | Uint8Array, string][] = [
    ['{', 'syntax'],
    ['{"tool":"plugin_tool"} x', 'syntax'],
    ['\ufeff{}', 'syntax'],
    ['{"tool":"a","tool":"plugin_tool"}', 'duplicate_key'],
    ['{"tool":"plugin_tool","params":{"action":"list","\\u0061ction":"call"}}', 'duplicate_key'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'invalid_utf8'],
    ['{"tool":"\\ud800"}', 'lone_surrogate'],
    ['{"tool":9007199254740993}', 'integer_out_of_range'],
    ['{"tool":1e999}', 'number_not_finite'],
    ['['.repeat(40) + ']'.repeat(40), 'depth'],
    [`[${'1,'.repeat(17_000)}1]`, 'nodes'],
    [`{"${'k'.repeat(5000)}":1}`, 'key_bytes'],
  ];
  for (const [bytes, fault] of faults) {
    const answer = await ask(port, { path: '/api/tools/call', token, bytes });
    assert.equal(answer.status, 400, fault);
    assert.equal(answer.envelope.error?.code, 'invalid_body', fault);
    assert.deepEqual(answer.envelope.error?.detail, { fault });
    assert.equal(answer.envelope.dispatch_certainty, 'not_started');
  }
  assert.equal(asked.length, 0);
});

test('an empty body, or one that is no object, is 400', async (t) => {
  const { port, token } = await start(t);
  for (const bytes of ['', 'null', '[]', '"x"', '5']) {
    const answer = await ask(port, { path: '/api/tools/call', token, bytes });
    assert.equal(answer.status, 400, bytes);
    assert.deepEqual(answer.envelope.error?.detail, { member: 'body', problem: 'must be a JSON object' });
  }
});

test('a tool that does not exist is 404', async (t) => {
  const { port, token, asked } = await start(t);
  const answer = await callTool(port, token, { tool: 'shell', params: { action: 'list' } });
  assert.equal(answer.status, 404);
  assert.equal(answer.envelope.error?.code, 'unknown_tool');
  assert.equal(answer.envelope.dispatch_certainty, 'not_started');
  assert.equal(asked.length, 0);
});

test('a token in the query opens nothing', async (t) => {
  const { port, token, lines } = await start(t);
  const answer = await ask(port, {
    path: `/api/tools/call?token=${token}&access_token=${token}`,
    body: LIST,
  });
  assert.equal(answer.status, 401);
  assert.equal(lines.join('').includes(token), false);
});

test('what is not HTTP is answered with an envelope and closed', async (t) => {
  const { port } = await start(t);
  const malformed = await exchange(port, 'NONSENSE\r\n\r\n');
  assert.match(malformed, /^HTTP\/1\.1 400 Bad Request\r\n/);
  assert.equal(envelopeOf(malformed).error?.code, 'malformed_request');
  const large = await exchange(
    port,
    `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
  );
  assert.match(large, /^HTTP\/1\.1 431 /);
  assert.equal(envelopeOf(large).error?.code, 'headers_too_large');
  const connected = await exchange(
    port,
    'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n',
  );
  assert.match(connected, /^HTTP\/1\.1 405 /);
  const noHost = await exchange(port, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
  assert.match(noHost, /^HTTP\/1\.1 4\d\d /);
});

test('an expectation that nobody can meet is refused', async (t) => {
  const { port } = await start(t);
  const answer = await exchange(
    port,
    'POST /api/tools/call HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\nContent-Length: 2\r\n\r\n{}',
  );
  assert.match(answer, /^HTTP\/1\.1 417 /);
  assert.equal(envelopeOf(answer).error?.code, 'malformed_request');
});

test('an offer to upgrade to something else is passed over', async (t) => {
  const { port, token } = await start(t);
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
  const answer = await ask(port, { path: '/api/tools/call', token, body: LIST, headers });
  assert.equal(answer.status, 200);
});

test('request smuggling by two lengths is refused', async (t) => {
  const { port } = await start(t);
  const answer = await exchange(
    port,
    'POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n',
  );
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.equal(answer.split('HTTP/1.1 ').length, 2);
});
