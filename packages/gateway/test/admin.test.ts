import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { failed, type Json, type JsonObject } from '@fairlead/base';
import { hygiene, manualClock } from '@fairlead/testing';
import { fakeExecutor, startGateway } from './fixture/gateway-fixture.ts';
import { ask, callTool } from './fixture/http-client.ts';
import { runner, serveEcho } from './fixture/runner-peer.ts';

const tokens = (port: number, token: string | undefined, body: Json) =>
  ask(port, { path: '/api/admin/tokens', token, body });

test('a personal token is made, listed without its secret, used, and revoked', async (t) => {
  hygiene(t);
  const { executor } = fakeExecutor();
  const { port, token } = await startGateway(t, { executor });
  const made = await tokens(port, token, {
    name: 'laptop',
    scopes: ['plugin:inspect'],
    runners: ['a'],
    expiresInMs: 3_600_000,
  });
  assert.equal(made.status, 200, made.text);
  const { secret, token: row } = made.envelope.output as {
    secret: string;
    token: { id: string; createdAtMs: number; expiresAtMs: number };
  };
  assert.match(secret, /^fairlead_pat_/);
  assert.equal(row.expiresAtMs - row.createdAtMs, 3_600_000);
  const list = await ask(port, { path: '/api/admin/tokens', token });
  const rows = (list.envelope.output as { tokens: { name: string }[] }).tokens;
  assert.deepEqual(
    rows.find((one) => one.name === 'laptop'),
    {
      id: row.id,
      name: 'laptop',
      kind: 'personal',
      scopes: ['plugin:inspect'],
      runners: ['a'],
      createdAtMs: row.createdAtMs,
      expiresAtMs: row.expiresAtMs,
      revokedAtMs: null,
    },
  );
  assert.equal(list.text.includes(secret.slice(13)), false);
  assert.equal((await callTool(port, secret, { tool: 'plugin_tool' })).status, 200);
  const gone = await ask(port, { path: `/api/admin/tokens/${row.id}`, method: 'DELETE', token });
  assert.deepEqual(gone.envelope.output, { id: row.id, revoked: true });
  assert.equal((await callTool(port, secret, { tool: 'plugin_tool' })).status, 401);
  const none = await ask(port, { path: '/api/admin/tokens/tok_none', method: 'DELETE', token });
  assert.equal(none.status, 400);
  assert.equal(none.envelope.error?.code, 'token_not_found');
});

test('a Runner token is made for one runner id', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t);
  const made = await tokens(port, token, { runner: 'desk', scopes: null });
  const { secret, token: row } = made.envelope.output as {
    secret: string;
    token: { runner: string; kind: string };
  };
  assert.match(secret, /^fairlead_runner_/);
  assert.equal(row.runner, 'desk');
  assert.equal(row.kind, 'runner');
  await runner(t, port, secret, 'desk');
});

test('what asks for a token wrongly is told the member', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t);
  const wrong: [Json, string][] = [
    [null, 'body'],
    [[], 'body'],
    [{}, 'name'],
    [{ name: 5, scopes: [] }, 'name'],
    [{ name: 'x' }, 'scopes'],
    [{ name: 'x', scopes: 'admin' }, 'scopes'],
    [{ name: 'x', scopes: [5] }, 'scopes'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['admin'], runners: 'a' }, 'runners'],
    [{ name: 'x', scopes: ['admin'], expiresInMs: '5' }, 'expiresInMs'],
    [{ name: 'x', scopes: ['admin'], expiresInMs: 5 }, 'lifetimeMs'],
    [{ name: 'x', scopes: ['admin'], lifetime: 5 }, 'lifetime'],
    [{ name: 'x', scopes: ['admin'], 'odd\nname': 5 }, 'body'],
    [{ runner: 5 }, 'runner'],
    [{ runner: '' }, 'runner'],
    [{ runner: 'a', name: 5 }, 'name'],
    [{ runner: 'a', scopes: ['admin'] }, 'scopes'],
  ];
  for (const [body, member] of wrong) {
    const answer = await tokens(port, token, body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.equal(answer.envelope.error?.code, 'token_request_invalid', JSON.stringify(body));
    assert.equal((answer.envelope.error?.detail as { member: string } | undefined)?.member, member);
  }
});

test('admin routes need the scope admin, and every other scope together is not enough', async (t) => {
  hygiene(t);
  const { port, mint, mintRunner, stops } = await startGateway(t);
  const others = await mint([
    'plugin:inspect',
    'plugin:invoke',
    'plugin:manage',
    'runner:manage',
    'project:read',
    'session:read',
    'session:write',
    'session:approve',
    'mcp:invoke',
  ]);
  const routes: [string, string][] = [
    ['GET', '/api/admin/tokens'],
    ['POST', '/api/admin/tokens'],
    ['DELETE', '/api/admin/tokens/tok_x'],
    ['GET', '/api/admin/status'],
    ['POST', '/api/admin/stop'],
  ];
  for (const [method, path] of routes) {
    const refused = await ask(port, { method, path, token: others });
    assert.equal(refused.status, 403, path);
    assert.equal(refused.envelope.error?.code, 'insufficient_scope');
    assert.deepEqual(refused.envelope.error?.detail, { scope: 'admin' });
    assert.equal((await ask(port, { method, path })).status, 401, path);
    assert.equal((await ask(port, { method, path, token: await mintRunner('r') })).status, 401, path);
  }
  assert.equal(stops(), 0);
});

test('who makes a token cannot give more than it has', async (t) => {
  hygiene(t);
  const { port, mint } = await startGateway(t);
  const admin = await mint(['admin', 'plugin:inspect']);
  const more = await tokens(port, admin, { name: 'x', scopes: ['plugin:inspect', 'plugin:invoke'] });
  assert.equal(more.status, 403);
  assert.deepEqual(more.envelope.error?.detail, { scope: 'plugin:invoke' });
  assert.equal((await tokens(port, admin, { name: 'x', scopes: ['plugin:inspect'] })).status, 200);
  const limited = await mint(['admin'], ['a', 'b']);
  for (const body of [
    { name: 'x', scopes: ['admin'] },
    { name: 'x', scopes: ['admin'], runners: ['a', 'c'] },
    { runner: 'c' },
  ]) {
    const answer = await tokens(port, limited, body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.equal(answer.envelope.error?.code, 'token_request_invalid');
  }
  assert.equal((await tokens(port, limited, { name: 'x', scopes: ['admin'], runners: ['a'] })).status, 200);
  assert.equal((await tokens(port, limited, { runner: 'b' })).status, 200);
});

test('status shows Runners and their plugins, and one that does not answer in 5 s by its code', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const fixture = await startGateway(t, { clock });
  const { port, token } = fixture;
  serveEcho(await runner(t, port, await fixture.mintRunner('here'), 'here'));
  const mute = await runner(t, port, await fixture.mintRunner('mute'), 'mute');
  const asking = ask(port, { path: '/api/admin/status', token });
  assert.equal((await mute.next())['type'], 'request');
  // Frames are answered in order: once this one is, so is the one of the status page.
  await fixture.hub.request('here', 'instance-1', { kind: 'providers_list' }, { budgetMs: 1_000 });
  await clock.advance(5_000);
  const answer = await asking;
  assert.deepEqual(answer.envelope.output, {
    running: true,
    url: fixture.url,
    pid: 4242,
    stateDirectory: fixture.stateDirectory,
    runners: [
      { runner: 'here', plugins: [{ plugin: 'echo', status: 'ready', errorCode: null }] },
      { runner: 'mute', plugins: [], errorCode: 'plugin_gateway_timeout' },
    ],
    extensions: [],
    agents: null,
  });
});

test('status names the extensions that do not run, or not everywhere, and why', async (t) => {
  hygiene(t);
  const gone = { code: 'extension_crashed', reason: 'It ended by itself.' };
  const failure = { name: 'notes', scope: 'session', code: 'instantiate_failed', reason: 'No such file.' };
  const rows = [
    { name: 'dice', state: 'running', reason: null, failures: [] },
    { name: 'clock', state: 'down', reason: gone, failures: [] },
    { name: 'notes', state: 'failing', reason: null, failures: [failure] },
    { name: 'odd', state: 'down', reason: null, failures: [] },
  ];
  const none = () => failed('not_started', 'extension_unknown', 'There is none.');
  const extensions = {
    list: () => ({ extensions: rows, failures: [] }),
    output: none,
    load: async () => none(),
    reload: async () => none(),
    unload: async () => none(),
  };
  const { port, token } = await startGateway(t, { extensions });
  const { output } = (await ask(port, { path: '/api/admin/status', token })).envelope;
  assert.deepEqual((output as JsonObject)['extensions'], [
    { name: 'clock', state: 'down', code: 'extension_crashed', reason: 'It ended by itself.' },
    { name: 'notes', state: 'failing', code: 'instantiate_failed', reason: 'No such file.' },
    { name: 'odd', state: 'down', code: null, reason: null },
  ]);
  extensions.list = () => null as never;
  const broken = (await ask(port, { path: '/api/admin/status', token })).envelope.output;
  assert.deepEqual((broken as JsonObject)['extensions'], []);
});

test('status shows a token that is limited to some Runners no other', async (t) => {
  hygiene(t);
  const fixture = await startGateway(t);
  const { port, tokens } = fixture;
  serveEcho(await runner(t, port, await fixture.mintRunner('mine'), 'mine'));
  serveEcho(await runner(t, port, await fixture.mintRunner('other'), 'other'));
  const { secret } = await tokens.mint({ name: 'limited', scopes: ['admin'], runners: ['mine'] });
  const { envelope } = await ask(port, { path: '/api/admin/status', token: secret });
  const { runners } = envelope.output as { runners: { runner: string }[] };
  assert.deepEqual(
    runners.map((row) => row.runner),
    ['mine'],
  );
});

test('admin routes are for this machine: not through the public URL, nor through a proxy', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t, { config: { publicUrl: 'https://fairlead.example' } });
  for (const headers of [{ host: 'fairlead.example' }, { 'x-forwarded-for': '192.0.2.1' }]) {
    const answer = await ask(port, { path: '/api/admin/status', token, headers });
    assert.equal(answer.status, 403);
    assert.equal(answer.envelope.error?.code, 'local_only');
  }
  assert.equal((await ask(port, { path: '/api/admin/status', token })).status, 200);
});

const outside = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

test('this machine may use its own outer address', {
  skip: outside === undefined ? 'this machine has loopback only' : false,
}, async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t, { config: { bind: '0.0.0.0', allowRemote: true } });
  const status = await new Promise((resolve, reject) => {
    const request = httpRequest({
      host: outside,
      port,
      path: '/api/admin/status',
      agent: false,
      headers: { authorization: `Bearer ${token}` },
    });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.end();
  });
  assert.equal(status, 200);
});

test('a store that cannot be written is told by its code, and a fault of ours only as internal_error', async (t) => {
  hygiene(t);
  const fixture = await startGateway(t);
  const { port, token } = fixture;
  await fixture.tokens.mint({ name: 'victim', scopes: ['plugin:inspect'] });
  await fixture.store.close();
  const answer = await tokens(port, token, { name: 'x', scopes: ['admin'] });
  assert.equal(answer.status, 400);
  assert.equal(answer.envelope.error?.code, 'store_closed');
  assert.equal(answer.envelope.dispatch_certainty, 'outcome_unknown');
  const victim = fixture.tokens.list().find((row) => row.name === 'victim');
  const revoked = await ask(port, { path: `/api/admin/tokens/${victim?.id}`, method: 'DELETE', token });
  // The token is refused from here on, and its row could not be written: neither done nor not done.
  assert.deepEqual(
    [revoked.envelope.error?.code, revoked.envelope.dispatch_certainty],
    ['store_closed', 'outcome_unknown'],
  );
  Object.assign(fixture.tokens, { mint: () => Promise.reject(new Error('marker-inside')) });
  const broken = await tokens(port, token, { name: 'x', scopes: ['admin'] });
  assert.equal(broken.envelope.error?.code, 'internal_error');
  assert.equal(broken.envelope.dispatch_certainty, 'outcome_unknown');
  assert.equal(broken.text.includes('marker-inside'), false);
  Object.assign(fixture.tokens, {
    list: () => {
      throw new Error('marker-inside');
    },
  });
  const thrown = await ask(port, { path: '/api/admin/tokens', token });
  assert.equal(thrown.status, 400);
  assert.equal(thrown.envelope.error?.code, 'internal_error');
  assert.equal(thrown.text.includes('marker-inside'), false);
});
