import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hygiene, manualClock, type TestLike } from '@fairlead/testing';
import type { RunReport } from '../src/sessions/session-port.ts';
import { FakeSessions, hostFault, REPORT } from './fixture/fake-sessions.ts';
import { type GatewayFixtureOptions, startGateway } from './fixture/gateway-fixture.ts';
import { ask } from './fixture/http-client.ts';
import { openStream } from './fixture/stream-reader.ts';

type Context = Parameters<typeof hygiene>[0] & TestLike;

async function setUp(t: Context, options: Omit<GatewayFixtureOptions, 'sessions'> = {}) {
  hygiene(t);
  const host = new FakeSessions();
  const session = host.add('a');
  const gateway = await startGateway(t, { sessions: host, ...options });
  const post = (rest: string, body?: Json, token = gateway.token) =>
    ask(gateway.port, {
      method: 'POST',
      path: `/api/sessions/${session}/${rest}`,
      token,
      ...(body === undefined ? {} : { body }),
    });
  return { host, gateway, session, post };
}

test('cancel says whether a turn ran, and continue which one goes on', async (t) => {
  const { host, post } = await setUp(t);
  host.isRunning = true;
  assert.deepEqual((await post('cancel')).envelope.output, { cancelled: true });
  assert.deepEqual((await post('cancel')).envelope.output, { cancelled: false });
  const none = await post('continue');
  assert.deepEqual([none.status, none.envelope.error?.code], [400, 'nothing_to_continue']);
  host.add('a', { source: 'cut short' });
  assert.deepEqual((await post('continue')).envelope.output, { turn: 'trn_2' });
});

test('a command answers its text and data, the session to go on in, and the end', async (t) => {
  const { host, session, gateway, post } = await setUp(t);
  host.onCommand = async () => ({ text: 'a new one', data: { id: 1 }, open: 'ses_b', quit: true });
  const { status, envelope } = await post('command', { line: '/new work' });
  assert.equal(status, 200);
  assert.deepEqual(envelope.output, { text: 'a new one', data: { id: 1 }, open: 'ses_b', quit: true });
  const id = gateway.tokens.list()[0]?.id;
  assert.deepEqual(host.asked, [
    [
      'command',
      {
        session,
        line: '/new work',
        by: { id: `person:${id}`, scopes: host.asked.length > 0 ? scopesOf(host) : [], name: 'test' },
      },
    ],
  ]);
  host.onCommand = async () => ({ text: '' });
  assert.deepEqual((await post('command', { line: '/quiet' })).envelope.output, { text: '' });
});

function scopesOf(host: FakeSessions): readonly string[] {
  const [, given] = host.asked[0] as readonly [string, { by: { scopes: readonly string[] } }];
  assert.ok(given.by.scopes.includes('session:approve'));
  return given.by.scopes;
}

test('a command that fails says its code, its usage, and whether anything ran', async (t) => {
  const { host, gateway, post } = await setUp(t);
  type Wrong = { code: string; usage?: string; detail?: Json; certainty?: 'outcome_unknown' };
  const fails = async (error: Wrong) => {
    host.onCommand = async () => ({ error: { message: 'It is not so.', ...error } });
    const { status, envelope } = await post('command', { line: '/x' });
    return [status, envelope.error, envelope.dispatch_certainty, envelope.success];
  };
  assert.deepEqual(await fails({ code: 'command_usage', usage: '/x NAME' }), [
    400,
    { code: 'command_usage', message: 'It is not so.', detail: { usage: '/x NAME' } },
    'not_started',
    false,
  ]);
  assert.deepEqual(await fails({ code: 'unknown_command' }), [
    400,
    { code: 'unknown_command', message: 'It is not so.', recovery: 'See `/help`.' },
    'not_started',
    false,
  ]);
  const agents = { agents: ['agt_1', 'agt_2'] };
  assert.deepEqual((await fails({ code: 'agent_ambiguous', detail: agents }))[1], {
    code: 'agent_ambiguous',
    message: 'It is not so.',
    detail: agents,
  });
  // An extension chose the code: it does not choose the status with it.
  assert.deepEqual(await fails({ code: 'request_incomplete', certainty: 'outcome_unknown' }), [
    400,
    { code: 'request_incomplete', message: 'It is not so.' },
    'outcome_unknown',
    false,
  ]);
  assert.deepEqual((await fails({ code: 'insufficient_scope' }))[0], 403);
  assert.deepEqual((await fails({ code: 'dice_lost' }))[2], 'completed');
  for (const body of [
    {},
    { line: '' },
    { line: 7 },
    { line: '/x', by: 'admin' },
    { line: 'x'.repeat(65_537) },
  ]) {
    const { envelope } = await post('command', body);
    assert.equal(envelope.error?.code, 'invalid_body');
  }
  assert.deepEqual(
    gateway.lines.filter((line) => line.includes('admin.failed')),
    [],
  );
});

test('a run answers what its turn came to', async (t) => {
  const { host, session, gateway, post } = await setUp(t);
  const { status, envelope } = await post('run', {
    text: 'two and two',
    agent: 'fox',
    model: 'local/large',
    approve: ['shell'],
    timeoutSecs: 60,
  });
  assert.equal(status, 200);
  assert.deepEqual(envelope.output, { ...REPORT } as never);
  const id = gateway.tokens.list()[0]?.id;
  assert.deepEqual(host.asked, [
    [
      'run',
      {
        text: 'two and two',
        agent: 'fox',
        model: 'local/large',
        timeoutMs: 60_000,
        approve: ['shell'],
        session,
        from: { kind: 'person', id, name: 'test' },
      },
    ],
  ]);
  assert.equal((await post('run', { text: 'x', approve: 'all' })).status, 200);
  const [, second] = host.asked;
  assert.equal((second as unknown as readonly [string, JsonObject])[1]['approve'], 'all');
});

test('approving beforehand needs the scope to approve', async (t) => {
  const { host, gateway, post } = await setUp(t);
  const writer = await gateway.mint(['session:write']);
  for (const approve of ['all', ['shell'], []]) {
    const refused = await post('run', { text: 'x', approve }, writer);
    assert.deepEqual([refused.status, refused.envelope.error?.detail], [403, { scope: 'session:approve' }]);
  }
  assert.deepEqual(host.asked, []);
  assert.equal((await post('run', { text: 'x' }, writer)).status, 200);
});

test('a run that cannot be read is refused by its member and says nothing in the session', async (t) => {
  const { host, post } = await setUp(t);
  const bodies: readonly (readonly [Json, string])[] = [
    [null, 'text'],
    [{ text: '' }, 'text'],
    [{ text: 'x', approve: 'shell' }, 'approve'],
    [{ text: 'x', approve: [7] }, 'approve'],
    [{ text: 'x', approve: Array(257).fill('a') }, 'approve'],
    [{ text: 'x', timeoutSecs: 0 }, 'timeoutSecs'],
    [{ text: 'x', timeoutSecs: 1.5 }, 'timeoutSecs'],
    [{ text: 'x', timeoutSecs: 86_401 }, 'timeoutSecs'],
    [{ text: 'x', model: {} }, 'model'],
    [{ text: 'x', unattended: false }, 'body'],
  ];
  for (const [body, member] of bodies) {
    const { envelope } = await post('run', body);
    assert.equal(envelope.error?.code, 'invalid_body', JSON.stringify(body));
    assert.equal((envelope.error.detail as JsonObject)['member'], member);
  }
  assert.deepEqual(host.asked, []);
});

test('a run is waited for beyond the time of a request', async (t) => {
  const clock = manualClock();
  const { host, post } = await setUp(t, { clock });
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const { promise: report, resolve: finish } = Promise.withResolvers<RunReport>();
  host.onRun = () => {
    start();
    return report;
  };
  const waiting = post('run', { text: 'x' });
  await started;
  await clock.advance(3_600_000);
  finish(REPORT);
  assert.equal((await waiting).status, 200);
});

test('whoever goes away cancels the turn that it waited for', async (t) => {
  const { host, gateway, session } = await setUp(t);
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  host.onRun = (signal) => {
    signal.addEventListener('abort', () => resolve());
    start();
    return aborted.then(() => ({ ...REPORT, status: 'cancelled' }));
  };
  const controller = new AbortController();
  const asking = fetch(`${gateway.url}/api/sessions/${session}/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'x' }),
    signal: controller.signal,
  });
  await started;
  controller.abort();
  await assert.rejects(asking, { name: 'AbortError' });
  await aborted;
});

test('whoever has gone before its turn began says nothing in the session', async (t) => {
  const { host, gateway, session } = await setUp(t);
  const { promise: looked, resolve: look } = Promise.withResolvers<void>();
  const { promise: gone, resolve: go } = Promise.withResolvers<void>();
  host.onLine = () => {
    look();
    return gone;
  };
  const controller = new AbortController();
  const asking = fetch(`${gateway.url}/api/sessions/${session}/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'x' }),
    signal: controller.signal,
  });
  await looked;
  controller.abort();
  await assert.rejects(asking, { name: 'AbortError' });
  // Its socket is closed once the gateway answers on another one.
  for (let count = 0; count < 3; count += 1) await ask(gateway.port, { path: '/healthz' });
  go();
  await gateway.gateway.close();
  assert.deepEqual(host.asked, []);
});

test('a token that is revoked or expires while its run goes on approves nothing more, and its turn is cancelled', async (t) => {
  const clock = manualClock();
  const { host, gateway, post } = await setUp(t, { clock });
  const begin = async () => {
    const token = await gateway.mint(['session:write', 'session:approve'], undefined, 60_000);
    const { promise: begun, resolve: begins } = Promise.withResolvers<() => boolean>();
    host.onRun = (signal, isLive) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ ...REPORT, status: 'cancelled' }), { once: true });
        begins(isLive);
      });
    const waiting = post('run', { text: 'x', approve: 'all' }, token);
    return { waiting, isLive: await begun, id: gateway.tokens.list().at(-1)?.id ?? '' };
  };
  const status = async (answer: ReturnType<typeof post>) =>
    ((await answer).envelope.output as JsonObject)['status'];
  const revoked = await begin();
  assert.equal(revoked.isLive(), true);
  await gateway.tokens.revoke(revoked.id);
  assert.equal(await status(revoked.waiting), 'cancelled');
  assert.equal(revoked.isLive(), false);
  const expired = await begin();
  clock.jumpWall(59_999);
  assert.equal(expired.isLive(), true);
  clock.jumpWall(1);
  assert.equal(expired.isLive(), false);
  assert.equal(await status(expired.waiting), 'cancelled');
});

test('a gateway that stops takes no run back: its turn is for its host to end', async (t) => {
  const clock = manualClock();
  const { host, gateway, post } = await setUp(t, { clock });
  const { promise: started, resolve: start } = Promise.withResolvers<AbortSignal>();
  host.onRun = (signal) => {
    start(signal);
    return new Promise(() => {});
  };
  const waiting = post('run', { text: 'x' });
  const signal = await started;
  const closing = gateway.gateway.close();
  await clock.advance(0);
  await waiting;
  await closing;
  assert.equal(signal.aborted, false);
});

test('a run that the end of the gateway cuts short is told so, its outcome unknown', async (t) => {
  const clock = manualClock();
  const { host, gateway, post } = await setUp(t, { clock });
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  host.onRun = () => {
    start();
    return new Promise(() => {});
  };
  const waiting = post('run', { text: 'x' });
  await started;
  const closing = gateway.gateway.close();
  await clock.advance(0);
  const { envelope } = await waiting;
  assert.deepEqual(
    [envelope.error?.code, envelope.dispatch_certainty],
    ['gateway_stopping', 'outcome_unknown'],
  );
  await closing;
});

test('a run that is refused says so by its code, and that nothing was said', async (t) => {
  const { host, post } = await setUp(t);
  host.onRun = async () => {
    throw hostFault('session_busy');
  };
  const { envelope } = await post('run', { text: 'x' });
  assert.deepEqual([envelope.error?.code, envelope.dispatch_certainty], ['session_busy', 'not_started']);
});

test('an export is lines of JSON as they come, and breaks off where it cannot go on', async (t) => {
  const { host, gateway, session } = await setUp(t);
  const path = `/api/sessions/${session}/export`;
  const answer = await fetch(`${gateway.url}${path}`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  });
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(await answer.text(), '{"format":"fairlead-session-v1"}\n{"type":"message","text":"hello"}\n');
  host.lines = async function* () {
    yield { format: 'fairlead-session-v1' };
    await new Promise(setImmediate);
    throw new Error('the store is closed');
  };
  const broken = await openStream(t, gateway.port, { path, token: gateway.token });
  await broken.ended;
  assert.equal(broken.response.complete, false);
});
