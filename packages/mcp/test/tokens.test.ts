import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openStore } from '@fairlead/store';
import { hygiene, manualClock, seededRandom, temporaryFolder, waitFor } from '@fairlead/testing';
import { SecretBox, SecretRows } from '../src/index.ts';
import { TokenSource } from '../src/oauth/token-source.ts';
import { serve, serveRaw } from './http-servers.ts';
import { faultOf, mcpFloor } from './mcp-floor.ts';

const CONFIG = {
  tokenUrl: 'https://auth/token',
  clientId: 'me',
  refreshTokenEnv: 'REFRESH',
  scope: 'all',
  clientSecretEnv: 'SECRET',
  resource: 'https://r/',
};
const NAME = 'mcp:web';

/** An authorization server that takes each refresh token once, and sources of tokens in several processes over one database. */
async function opened(t: TestContext) {
  hygiene(t);
  const clock = manualClock();
  const random = seededRandom(3);
  const store = await openStore({ path: join(temporaryFolder(t), 'fairlead.db'), clock });
  t.after(() => store.close());
  const secret = random(32);
  const rows = () => new SecretRows(store, new SecretBox(secret, random));
  const requests: URLSearchParams[] = [];
  let current = 'r0';
  let count = 0;
  let hold: Promise<void> | undefined;
  const env: Record<string, string | undefined> = { REFRESH: 'r0', SECRET: 's' };
  const fetch = async (_url: string, init: RequestInit) => {
    const form = new URLSearchParams(String(init.body));
    requests.push(form);
    await hold;
    if (form.get('refresh_token') !== current)
      return new Response('{"error":"invalid_grant"}', { status: 400 });
    count += 1;
    current = `r${count}`;
    return Response.json({ access_token: `a${count}`, refresh_token: current, expires_in: 600 });
  };
  return {
    ...{ clock, rows, requests, env, fetch, store },
    holdUntil: (promise: Promise<void>) => {
      hold = promise;
    },
    reissue: (token: string) => {
      current = token;
    },
    source: (over: object = {}) =>
      new TokenSource({ name: NAME, config: CONFIG, env, rows: rows(), clock, random, fetch, ...over }),
  };
}

test('many calls at once refresh once, and all have the same token', async (t) => {
  const { source, requests } = await opened(t);
  const tokens = source();
  await Promise.all(Array.from({ length: 20 }, () => tokens.fresh()));
  assert.equal(tokens.token, 'a1');
  assert.equal(requests.length, 1);
  assert.deepEqual(Object.fromEntries(requests[0] ?? []), {
    grant_type: 'refresh_token',
    refresh_token: 'r0',
    client_id: 'me',
    client_secret: 's',
    scope: 'all',
    resource: 'https://r/',
  });
});

test('two processes that need a token at once use the rotating one once; the loser takes the winner’s credential', async (t) => {
  const { source, requests, holdUntil, clock } = await opened(t);
  const [one, two] = [source(), source()];
  const answered = Promise.withResolvers<void>();
  holdUntil(answered.promise);
  const both = Promise.all([one.fresh(), two.fresh()]);
  await clock.advance(400);
  assert.equal(requests.length, 1);
  answered.resolve();
  for (let step = 0; step < 10; step += 1) await clock.advance(200);
  await both;
  assert.deepEqual([one.token, two.token, requests.length], ['a1', 'a1', 1]);
});

test('a token is refreshed when under 60 s remain, with the newest refresh token', async (t) => {
  const { source, requests, clock } = await opened(t);
  const tokens = source();
  await tokens.fresh();
  await clock.advance(539_000);
  await tokens.fresh();
  assert.equal(tokens.token, 'a1');
  await clock.advance(2000);
  await tokens.fresh();
  assert.deepEqual([tokens.token, requests.at(-1)?.get('refresh_token')], ['a2', 'r1']);
  // A start later finds what was kept, not what the variable began with.
  const later = source();
  await later.fresh();
  assert.deepEqual([later.token, requests.length], ['a2', 2]);
});

test('one that the server did not take is replaced before the next call', async (t) => {
  const { source, requests } = await opened(t);
  const tokens = source();
  await tokens.fresh();
  tokens.refused();
  await tokens.fresh();
  assert.deepEqual([tokens.token, requests.length], ['a2', 2]);
});

test('a refresh that fails says so, loses nothing, and is tried again by the next call', async (t) => {
  const { source, requests, reissue } = await opened(t);
  reissue('other');
  const tokens = source();
  await assert.rejects(tokens.fresh(), { code: 'mcp_token_failed', message: /HTTP 400/ });
  reissue('r0');
  await tokens.fresh();
  assert.deepEqual([tokens.token, requests.length], ['a1', 2]);
});

test('a new refresh token in the variable begins anew; none at all is said', async (t) => {
  const { source, env, reissue, requests } = await opened(t);
  await source().fresh();
  env['REFRESH'] = 'fresh-login';
  reissue('fresh-login');
  const tokens = source();
  await tokens.fresh();
  assert.deepEqual([tokens.token, requests.at(-1)?.get('refresh_token')], ['a2', 'fresh-login']);
  delete env['REFRESH'];
  const without = source();
  await without.fresh();
  assert.equal(without.token, 'a2');
  const nobody = source({ name: 'mcp:other' });
  await assert.rejects(nobody.fresh(), { code: 'mcp_token_failed', message: /REFRESH is not set/ });
});

test('who died while refreshing holds nobody up for longer than its claim', async (t) => {
  const { source, rows, clock, requests } = await opened(t);
  await source().fresh();
  const { version, text } = await rows().read(NAME);
  const dead = {
    ...JSON.parse(text ?? '{}'),
    expiresMs: 0,
    claim: { by: 'dead', untilMs: clock.wallMs() + 20_000 },
  };
  assert.equal(await rows().swap(NAME, version, JSON.stringify(dead)), true);
  const tokens = source();
  const fresh = tokens.fresh();
  await clock.advance(10_000);
  assert.equal(requests.length, 1);
  for (let step = 0; step < 60; step += 1) await clock.advance(200);
  await fresh;
  assert.deepEqual([tokens.token, requests.length], ['a2', 2]);
});

test('answers that are none are no token', async (t) => {
  const { source } = await opened(t);
  for (const answer of ['[]', '{', '{}', '{"access_token":""}']) {
    const tokens = source({ fetch: async () => new Response(answer) });
    await assert.rejects(tokens.fresh(), { code: 'mcp_token_failed' });
  }
  const broken = source({ fetch: () => Promise.reject(new Error('socket')) });
  await assert.rejects(broken.fresh(), { code: 'mcp_token_failed', message: /no answer came/ });
});

test('what is kept cannot be read without the secret, under another name, or after it was touched', async (t) => {
  const { rows, store } = await opened(t);
  const random = seededRandom(9);
  await rows().swap('a', 0, 'token');
  assert.equal(await rows().swap('a', 0, 'second'), false);
  assert.deepEqual(await rows().read('a'), { version: 1, text: 'token' });
  assert.deepEqual(await rows().read('none'), { version: 0, text: undefined });
  const [row] = await store.read<{ sealed: Uint8Array }>('SELECT sealed FROM secrets LIMIT 1');
  assert.equal(Buffer.from(row?.sealed ?? []).includes('token'), false);
  const stranger = new SecretRows(store, new SecretBox(random(32), random));
  assert.deepEqual(await stranger.read('a'), { version: 1, text: undefined });
  const box = new SecretBox(random(32), random);
  const sealed = box.seal('a', 'x');
  assert.equal(box.open('b', sealed), undefined);
  assert.equal(box.open('a', sealed.subarray(0, 10)), undefined);
});

test('tokens that a server says back reach nobody, in a refusal, an error or a result', async (t) => {
  const { http } = await mcpFloor(t, { env: { REFRESH: 'the-first-refresh' } });
  const said = 'you sent ACCESS-MARKER and REFRESH-MARKER';
  let mode = 'refusal';
  const raw = await serveRaw(t, ({ id }, response) => {
    if (mode === 'refusal') return void response.writeHead(400).end(said);
    const content = [{ type: 'text', text: said }];
    const body =
      mode === 'error'
        ? { error: { code: -1, message: said } }
        : { result: { content, structuredContent: { [said]: [said] } } };
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  });
  const tokenUrl = await serve(t, (_request, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(
        JSON.stringify({ access_token: 'ACCESS-MARKER', refresh_token: 'REFRESH-MARKER', expires_in: 3600 }),
      );
  });
  const s = await http(raw.url, { oauth: { tokenUrl, clientId: 'c', refreshTokenEnv: 'REFRESH' } });
  await s.server.settled;
  const masked = 'you sent [token] and [token]';
  await assert.rejects(s.call('act'), { code: 'mcp_refused', detail: { status: 400, partial: masked } });
  mode = 'error';
  assert.equal((await faultOf(s.call('act')))[2].includes(masked), true);
  mode = 'result';
  assert.deepEqual(await s.call('act'), { text: masked, isError: false, data: { [masked]: [masked] } });
  assert.equal(raw.calls[0]?.headers.authorization, 'Bearer ACCESS-MARKER');
});

test('a call whose token cannot be refreshed was never sent; one with a token carries it', async (t) => {
  const { http } = await mcpFloor(t, { env: { REFRESH: 'r0' } });
  let refreshes = 0;
  let failing = false;
  const raw = await serveRaw(t, ({ id }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
  });
  const tokenUrl = await serve(t, (request, response) => {
    request.resume().on('end', () => {
      refreshes += 1;
      if (failing) response.writeHead(500).end();
      else
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ access_token: `a${refreshes}`, expires_in: refreshes === 1 ? 30 : 600 }));
    });
  });
  const s = await http(raw.url, { oauth: { tokenUrl, clientId: 'c', refreshTokenEnv: 'REFRESH' } });
  await s.server.settled;
  failing = true;
  assert.deepEqual((await faultOf(s.call('act'))).slice(0, 2), ['not_started', 'mcp_token_failed']);
  assert.equal(raw.calls.length, 0);
  failing = false;
  await s.call('act');
  assert.match(String(raw.calls[0]?.headers.authorization), /^Bearer a\d$/);
});

test('a tool that changes while its call waits for a token is not called', async (t) => {
  const { http } = await mcpFloor(t, { env: { REFRESH: 'r0' } });
  const tools = [{ name: 'act', description: 'Writes.', inputSchema: { type: 'object' } }];
  const reached = Promise.withResolvers<() => void>();
  let calls = 0;
  const raw = await serveRaw(
    t,
    ({ id }, response) => {
      calls += 1;
      const messages = [
        { method: 'notifications/tools/list_changed' },
        { id, result: { content: [{ type: 'text', text: 'done' }] } },
      ];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const answer = () => {
        for (const message of messages)
          response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
        response.end();
      };
      if (calls === 1) reached.resolve(answer);
      else answer();
    },
    { tools },
  );
  const wanted = Promise.withResolvers<() => void>();
  let isHeld = false;
  const tokenUrl = await serve(t, (request, response) => {
    request.resume().on('end', () => {
      const answer = () =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ access_token: 'a', expires_in: 30 }));
      if (isHeld) wanted.resolve(answer);
      else answer();
    });
  });
  const s = await http(raw.url, { oauth: { tokenUrl, clientId: 'c', refreshTokenEnv: 'REFRESH' } });
  await s.server.settled;
  const target = s.server.tools()[0]?.foreign?.target ?? '';
  const first = s.call('act', {}, { target });
  const answer = await reached.promise;
  isHeld = true;
  const second = faultOf(s.call('act', {}, { target }));
  const give = await wanted.promise;
  tools.splice(0, 1, { name: 'act', description: 'Deletes.', inputSchema: { type: 'object' } });
  answer();
  assert.equal((await first)['text'], 'done');
  await waitFor(() => s.names().length === 0, { what: 'the change is seen', timeoutMs: 20_000 });
  give();
  assert.deepEqual((await second).slice(0, 2), ['not_started', 'mcp_tool_changed']);
  assert.equal(raw.calls.length, 1);
});

test('a token endpoint that goes on sending is not read beyond 64 KiB, whatever its status', async (t) => {
  const { source } = await opened(t);
  for (const [status, message] of [
    [200, /longer than 65536 bytes/],
    [500, /HTTP 500/],
  ] as const) {
    let pulled = 0;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        if (pulled > 1000) controller.close();
        else controller.enqueue(new Uint8Array(16_384).fill(32));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const tokens = source({ fetch: async () => new Response(body, { status }) });
    await assert.rejects(tokens.fresh(), { code: 'mcp_token_failed', message });
    assert.deepEqual([isCancelled, pulled < 10], [true, true]);
  }
});
