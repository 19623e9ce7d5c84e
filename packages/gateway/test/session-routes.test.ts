import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hygiene, type TestLike } from '@fairlead/testing';
import { FakeSessions, FOX, OWL, ses } from './fixture/fake-sessions.ts';
import { type GatewayFixture, startGateway } from './fixture/gateway-fixture.ts';
import { type Answer, ask } from './fixture/http-client.ts';

type Context = Parameters<typeof hygiene>[0] & TestLike;

async function setUp(t: Context) {
  hygiene(t);
  const host = new FakeSessions();
  const gateway = await startGateway(t, { sessions: host });
  const get = (path: string, token = gateway.token) => ask(gateway.port, { path, token });
  const send = (method: string, path: string, body?: Json, token = gateway.token) =>
    ask(gateway.port, { method, path, token, ...(body === undefined ? {} : { body }) });
  return { host, gateway, get, send };
}

const codeOf = ({ status, envelope }: Answer) => [status, envelope.error?.code];
const detailOf = ({ envelope }: Answer) => envelope.error?.detail;

const FIRST: JsonObject = {
  id: ses('a'),
  name: 'work',
  mode: 'normal',
  source: null,
  closed: false,
  agents: [FOX],
  host: FOX.id,
  model: null,
  parent: null,
  createdAtMs: 1_000,
  lastAtMs: 2_000,
  running: null,
  workspace: '/srv/a',
};

test('sessions are listed with what they are; the folder of the machine is for the scope admin alone', async (t) => {
  const { host, gateway, get } = await setUp(t);
  host.add('a', { name: 'work' });
  host.add('b', {
    closed: true,
    parent: { session: ses('a'), turn: 'trn_1', call: 'call_1' },
    model: 'local/small',
  });
  const all = await get('/api/sessions');
  assert.deepEqual([all.status, all.envelope.output], [200, { sessions: [FIRST] }]);
  assert.equal(all.envelope.dispatch_certainty, 'completed');
  assert.deepEqual(host.asked, [['list', { closed: false, limit: 50 }]]);
  const reader = await gateway.mint(['session:read']);
  const { workspace: _, ...shown } = FIRST;
  assert.deepEqual((await get(`/api/sessions/${ses('a')}`, reader)).envelope.output, shown);
  const closed = await get('/api/sessions?closed=true&limit=2');
  const second = (closed.envelope.output as { sessions: readonly JsonObject[] }).sessions[1];
  assert.deepEqual(
    [second?.['closed'], second?.['parent'], second?.['model'], second?.['name']],
    [true, { session: ses('a'), turn: 'trn_1', call: 'call_1' }, 'local/small', null],
  );
});

test('a session is found by its name, and several of one name are all listed', async (t) => {
  const { host, get } = await setUp(t);
  host.add('a', { name: 'work' });
  host.add('b', { name: 'play' });
  host.add('c', { name: 'play' });
  const ids = async (path: string) => {
    const { output } = (await get(path)).envelope;
    return (output as { sessions: readonly { id: string }[] }).sessions.map(({ id }) => id);
  };
  assert.deepEqual(await ids('/api/sessions?name=work'), [ses('a')]);
  assert.deepEqual(await ids('/api/sessions?name=play'), [ses('b'), ses('c')]);
  assert.deepEqual(await ids('/api/sessions?name=none'), []);
  assert.deepEqual(await ids(`/api/sessions?name=${ses('a')}`), []);
});

test('what runs in a session stands in it', async (t) => {
  const { host, get } = await setUp(t);
  host.add('a');
  host.isRunning = true;
  const { output } = (await get(`/api/sessions/${ses('a')}`)).envelope;
  assert.deepEqual((output as JsonObject)['running'], {
    turn: 'trn_1',
    agent: FOX.id,
    state: 'tool',
    tool: 'shell',
  });
});

test('a session is made with its agents; without any it has none, and a workspace needs the scope admin', async (t) => {
  const { host, gateway, send } = await setUp(t);
  const made = await send('POST', '/api/sessions', {
    name: 'work',
    agents: ['fox', OWL.id],
    mode: 'read_only',
    workspace: '/srv/project',
  });
  assert.equal(made.status, 200, made.text);
  const output = made.envelope.output as JsonObject;
  assert.deepEqual([output['id'], output['name'], output['mode']], [ses('n'), 'work', 'read_only']);
  assert.deepEqual(output['agents'], [FOX, OWL]);
  assert.deepEqual(host.asked, [
    [
      'newSession',
      { name: 'work', agents: ['fox', OWL.id], workspace: '/srv/project', mode: 'read_only', source: 'http' },
    ],
  ]);
  const writer = await gateway.mint(['session:write', 'session:read']);
  const bare = await send('POST', '/api/sessions', undefined, writer);
  assert.deepEqual((bare.envelope.output as JsonObject)['agents'], []);
  const folder = await send('POST', '/api/sessions', { workspace: '/' }, writer);
  assert.deepEqual(codeOf(folder), [403, 'insufficient_scope']);
  assert.deepEqual(detailOf(folder), { scope: 'admin' });
  assert.deepEqual(codeOf(await send('POST', '/api/sessions', { agents: ['nobody'] })), [
    400,
    'agent_unknown',
  ]);
});

test('name and model are changed and taken away, a session is closed and opened again', async (t) => {
  const { host, send } = await setUp(t);
  const id = host.add('a', { name: 'old' });
  const patch = (body: Json) => send('PATCH', `/api/sessions/${id}`, body);
  const first = (await patch({ name: 'new', model: 'local/large', mode: 'inspect' })).envelope.output;
  const { name, model, mode } = first as JsonObject;
  assert.deepEqual([name, model, mode], ['new', 'local/large', 'inspect']);
  const second = (await patch({ name: null, model: null })).envelope.output as JsonObject;
  assert.deepEqual([second['name'], second['model']], [null, null]);
  assert.equal(((await patch({ closed: true })).envelope.output as JsonObject)['closed'], true);
  const shut = await patch({ name: 'late' });
  assert.deepEqual(codeOf(shut), [400, 'session_closed']);
  assert.equal(shut.envelope.error?.recovery, 'Open a new one.');
  assert.equal(shut.envelope.dispatch_certainty, 'not_started');
  const back = (await patch({ closed: false, name: 'late' })).envelope.output as JsonObject;
  assert.deepEqual([back['closed'], back['name']], [false, 'late']);
});

test('a change that names no model of this host changes nothing else either', async (t) => {
  const { host, send } = await setUp(t);
  const id = host.add('a', { closed: true });
  const refused = await send('PATCH', `/api/sessions/${id}`, {
    closed: false,
    model: 'none/none',
    name: 'x',
  });
  assert.deepEqual(codeOf(refused), [400, 'model_unknown']);
  assert.deepEqual(host.asked, []);
});

test('the mode is changed by who may approve or administer, and by nobody who may only write', async (t) => {
  const { host, gateway, send } = await setUp(t);
  const id = host.add('a');
  const patch = async (body: Json, scopes: readonly string[]) =>
    send('PATCH', `/api/sessions/${id}`, body, await gateway.mint(scopes));
  const writer = await patch({ mode: 'normal', name: 'x' }, ['session:write']);
  assert.deepEqual(
    [codeOf(writer), detailOf(writer)],
    [[403, 'insufficient_scope'], { scope: 'session:approve' }],
  );
  assert.deepEqual(host.asked, []);
  assert.equal((await patch({ mode: 'inspect' }, ['session:approve'])).status, 200);
  assert.equal((await patch({ mode: 'normal' }, ['admin'])).status, 200);
  const name = await patch({ mode: 'normal', name: 'x' }, ['admin']);
  assert.deepEqual([codeOf(name), detailOf(name)], [[403, 'insufficient_scope'], { scope: 'session:write' }]);
});

test('the same key in one session is one message, however often it is sent', async (t) => {
  const { host, gateway, send } = await setUp(t);
  const id = host.add('a');
  const message = { text: 'hello @fox', key: 'key-1', agent: 'fox' };
  const first = await send('POST', `/api/sessions/${id}/entries`, message);
  assert.deepEqual(first.envelope.output, { id: 'entry_1', woken: [FOX.id], again: false });
  const again = await send('POST', `/api/sessions/${id}/entries`, message);
  assert.deepEqual(again.envelope.output, { id: 'entry_1', woken: [], again: true });
  const other = await send('POST', `/api/sessions/${id}/entries`, { text: 'more', key: 'key-2' });
  assert.equal((other.envelope.output as JsonObject)['id'], 'entry_2');
  const tokenId = gateway.tokens.list()[0]?.id;
  assert.deepEqual(host.asked[0], [
    'post',
    { ...message, session: id, from: { kind: 'person', id: tokenId, name: 'test' } },
  ]);
});

test('who may not approve speaks as a client', async (t) => {
  const { host, gateway, send } = await setUp(t);
  const id = host.add('a');
  const token = await gateway.mint(['session:write']);
  await send('POST', `/api/sessions/${id}/entries`, { text: 'hello', key: 'k' }, token);
  const { from } = (host.asked[0] as readonly [string, { from: JsonObject }])[1];
  assert.deepEqual([from['kind'], from['name']], ['client', 'test']);
});

test('entries come newest first in pages, and each page says where the next begins', async (t) => {
  const { host, get } = await setUp(t);
  const id = host.add('a');
  const entry = (n: number) => ({ id: `${'k'.repeat(43)}:${n}:0`, type: 'message', at: n, text: `no ${n}` });
  host.entriesOf.set(id, [entry(5), entry(4), entry(3), entry(2)]);
  const first = await get(`/api/sessions/${id}/entries?limit=3`);
  assert.deepEqual(first.envelope.output, {
    entries: [entry(5), entry(4), entry(3)],
    before: `${'k'.repeat(43)}:3:0`,
  });
  const second = await get(`/api/sessions/${id}/entries?before=${'k'.repeat(43)}:3:0`);
  assert.deepEqual(second.envelope.output, { entries: [entry(2)], before: null });
  assert.deepEqual(host.asked, [
    ['entries', { limit: 3 }],
    ['entries', { before: `${'k'.repeat(43)}:3:0`, limit: 200 }],
  ]);
  const gone = await get(`/api/sessions/${id}/entries?before=${'z'.repeat(43)}:9:0`);
  assert.deepEqual(codeOf(gone), [400, 'entry_not_found']);
  assert.equal(gone.envelope.dispatch_certainty, 'not_started');
});

test('a page ends early where it would grow beyond 4 MiB, and the next goes on there', async (t) => {
  const { host, get } = await setUp(t);
  const id = host.add('a');
  const entries = Array.from({ length: 20 }, (_, n) => ({
    id: `${'k'.repeat(43)}:${20 - n}:0`,
    type: 'tool_result',
    text: 'x'.repeat(256 * 1024),
  }));
  host.entriesOf.set(id, entries);
  const { text, envelope } = await get(`/api/sessions/${id}/entries`);
  const page = envelope.output as unknown as { entries: readonly { id: string }[]; before: string };
  assert.ok(text.length < 4.1 * 1024 * 1024);
  assert.equal(page.entries.length, 15);
  assert.equal(page.before, page.entries.at(-1)?.id);
  const rest = await get(`/api/sessions/${id}/entries?before=${page.before}`);
  const next = rest.envelope.output as unknown as { entries: readonly { id: string }[]; before: null };
  assert.deepEqual([next.entries.length, next.before], [5, null]);
});

test('what cannot be read of a body or an address is refused by the member, before anything is done', async (t) => {
  const { host, get, send } = await setUp(t);
  const id = host.add('a');
  const bodies: readonly (readonly [string, string, Json, string])[] = [
    ['POST', '/api/sessions', [], 'body'],
    ['POST', '/api/sessions', 'x', 'body'],
    ['POST', '/api/sessions', { grants: {} }, 'body'],
    ['POST', '/api/sessions', { name: '' }, 'name'],
    ['POST', '/api/sessions', { name: 'a\nb' }, 'name'],
    ['POST', '/api/sessions', { name: 'ses_a' }, 'name'],
    ['POST', '/api/sessions', { name: 'é'.repeat(129) }, 'name'],
    ['POST', '/api/sessions', { agents: 'fox' }, 'agents'],
    ['POST', '/api/sessions', { agents: [7] }, 'agents'],
    ['POST', '/api/sessions', { agents: Array(65).fill('fox') }, 'agents'],
    ['POST', '/api/sessions', { workspace: 'project' }, 'workspace'],
    ['POST', '/api/sessions', { workspace: '/a\0b' }, 'workspace'],
    ['POST', '/api/sessions', { mode: 'all' }, 'mode'],
    ['PATCH', `/api/sessions/${id}`, {}, 'body'],
    ['PATCH', `/api/sessions/${id}`, { closed: 1 }, 'closed'],
    ['PATCH', `/api/sessions/${id}`, { mode: null }, 'mode'],
    ['PATCH', `/api/sessions/${id}`, { name: 7 }, 'name'],
    ['POST', `/api/sessions/${id}/entries`, { text: 'x' }, 'key'],
    ['POST', `/api/sessions/${id}/entries`, { key: 'x' }, 'text'],
    ['POST', `/api/sessions/${id}/entries`, { key: 'k'.repeat(129), text: 'x' }, 'key'],
    ['POST', `/api/sessions/${id}/entries`, { key: 'x', text: 'x'.repeat(65_537) }, 'text'],
    ['POST', `/api/sessions/${id}/entries`, { key: 'x', text: 'x', from: { kind: 'host' } }, 'body'],
    ['POST', `/api/sessions/${id}/entries`, { key: 'x', text: 'x', agent: [] }, 'agent'],
  ];
  for (const [method, path, body, member] of bodies) {
    const answer = await send(method, path, body);
    assert.deepEqual(codeOf(answer), [400, 'invalid_body'], JSON.stringify(body));
    assert.equal((detailOf(answer) as JsonObject)['member'], member, JSON.stringify(body));
    assert.equal(answer.envelope.dispatch_certainty, 'not_started');
  }
  const queries = [
    ['/api/sessions?limit=0', 'limit'],
    ['/api/sessions?limit=201', 'limit'],
    ['/api/sessions?limit=1e2', 'limit'],
    ['/api/sessions?closed=yes', 'closed'],
    ['/api/sessions?name=', 'name'],
    ['/api/sessions?sort=up', 'query'],
    ['/api/sessions?limit=1&limit=2', 'limit'],
    [`/api/sessions/${id}/entries?before=1`, 'before'],
    [`/api/sessions/${id}/entries?limit=201`, 'limit'],
  ];
  for (const [path = '', member] of queries) {
    const answer = await get(path);
    assert.deepEqual(codeOf(answer), [400, 'query_invalid'], path);
    assert.equal((detailOf(answer) as JsonObject)['member'], member, path);
  }
  assert.deepEqual(host.asked, []);
});

test('bytes that are no JSON object of ours say nothing in a session', async (t) => {
  const { host, gateway } = await setUp(t);
  const id = host.add('a');
  const sent: readonly (readonly [string | Uint8Array, string, string?])[] = [
    ['{"text":"a","text":"b","key":"k"}', 'invalid_body'],
    ['{"text":"\\ud800","key":"k"}', 'invalid_body'],
    ['{"text":"a","key":"k"', 'invalid_body'],
    [`${'['.repeat(40)}${']'.repeat(40)}`, 'invalid_body'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'invalid_body'],
    [`{"text":"${'x'.repeat(1024 * 1024)}","key":"k"}`, 'body_too_large'],
    ['{"text":"a","key":"k"}', 'unsupported_media_type', 'text/plain'],
  ];
  for (const [bytes, code, type = 'application/json'] of sent) {
    const answer = await ask(gateway.port, {
      path: `/api/sessions/${id}/entries`,
      token: gateway.token,
      bytes,
      headers: { 'content-type': type },
    });
    assert.equal(answer.envelope.error?.code, code, String(bytes).slice(0, 40));
    assert.equal(answer.envelope.dispatch_certainty, 'not_started');
  }
  assert.deepEqual(host.asked, []);
});

test('a session that is none is unknown on every route, whatever stands in its place', async (t) => {
  const { host, gateway, send } = await setUp(t);
  const routes: readonly (readonly [string, string, Json?])[] = [
    ['GET', ''],
    ['PATCH', '', { name: 'x' }],
    ['GET', '/entries'],
    ['POST', '/entries', { text: 'x', key: 'k' }],
    ['GET', '/stream'],
    ['GET', '/export'],
    ['POST', '/run', { text: 'x' }],
    ['POST', '/cancel'],
    ['POST', '/continue'],
    ['POST', '/command', { line: '/help' }],
  ];
  for (const id of [ses('z'), 'none', 'ses_..%2F..%2Fetc', FOX.id, `${ses('a')}x`]) {
    for (const [method, rest, body] of routes) {
      const answer = await send(method, `/api/sessions/${id}${rest}`, body);
      assert.deepEqual(codeOf(answer), [400, 'session_unknown'], `${method} ${id}${rest}`);
      assert.equal(answer.envelope.error?.recovery, 'See `/sessions`.');
    }
  }
  const tried = host.asked.filter((asked) => !(asked as readonly string[])[0]?.startsWith('list'));
  assert.deepEqual(tried, []);
  assert.deepEqual(
    gateway.lines.filter((line) => line.includes('"error"')),
    [],
  );
});

test('each route asks for its own scope, and none of them implies another', async (t) => {
  const { host, gateway, send } = await setUp(t);
  const id = host.add('a', { source: 'cut short' });
  const needs: readonly (readonly [string, string, string, Json?])[] = [
    ['session:read', 'GET', '/api/sessions'],
    ['session:write', 'POST', '/api/sessions', {}],
    ['session:read', 'GET', `/api/sessions/${id}`],
    ['session:write', 'PATCH', `/api/sessions/${id}`, { name: 'x' }],
    ['session:read', 'GET', `/api/sessions/${id}/entries`],
    ['session:write', 'POST', `/api/sessions/${id}/entries`, { text: 'x', key: 'k' }],
    ['session:read', 'GET', `/api/sessions/${id}/export`],
    ['session:write', 'POST', `/api/sessions/${id}/run`, { text: 'x' }],
    ['session:write', 'POST', `/api/sessions/${id}/cancel`],
    ['session:write', 'POST', `/api/sessions/${id}/continue`],
    ['session:write', 'POST', `/api/sessions/${id}/command`, { line: '/help' }],
    ['session:approve', 'GET', '/api/approvals'],
    ['session:approve', 'POST', '/api/approvals/apr_1', { decision: 'deny' }],
    ['session:read', 'GET', '/api/models'],
    ['admin', 'POST', '/api/admin/models/reload'],
    ['admin', 'POST', '/api/admin/pause'],
    ['admin', 'POST', '/api/admin/resume'],
  ];
  const every = ['session:read', 'session:write', 'session:approve', 'admin', 'plugin:invoke'];
  const without = new Map(
    await Promise.all(
      ['session:read', 'session:write', 'session:approve', 'admin'].map(
        async (scope) => [scope, await gateway.mint(every.filter((one) => one !== scope))] as const,
      ),
    ),
  );
  for (const [scope, method, path, body] of needs) {
    const refused = await send(method, path, body, without.get(scope));
    assert.deepEqual([codeOf(refused), detailOf(refused)], [[403, 'insufficient_scope'], { scope }], path);
    assert.equal((await ask(gateway.port, { method, path })).status, 401, path);
    const runner = await gateway.mintRunner(`r${needs.findIndex(([, , one]) => one === path)}`);
    assert.equal((await send(method, path, body, runner)).status, 401, path);
  }
  assert.deepEqual(host.asked, []);
  // The stream answers with a head that goes on; a refusal is an envelope as everywhere.
  const stream = await send('GET', `/api/sessions/${id}/stream`, undefined, without.get('session:read'));
  assert.deepEqual(codeOf(stream), [403, 'insufficient_scope']);
});

test('without a host of sessions every one of its routes says so', async (t) => {
  hygiene(t);
  const { port, token }: GatewayFixture = await startGateway(t);
  const routes = [
    ['GET', '/api/sessions'],
    ['POST', '/api/sessions'],
    ['GET', `/api/sessions/${ses('a')}`],
    ['PATCH', `/api/sessions/${ses('a')}`],
    ['GET', `/api/sessions/${ses('a')}/entries`],
    ['POST', `/api/sessions/${ses('a')}/entries`],
    ['GET', `/api/sessions/${ses('a')}/stream`],
    ['GET', `/api/sessions/${ses('a')}/export`],
    ['POST', `/api/sessions/${ses('a')}/run`],
    ['POST', `/api/sessions/${ses('a')}/cancel`],
    ['POST', `/api/sessions/${ses('a')}/continue`],
    ['POST', `/api/sessions/${ses('a')}/command`],
    ['GET', '/api/approvals'],
    ['POST', '/api/approvals/apr_1'],
    ['GET', '/api/models'],
    ['POST', '/api/admin/models/reload'],
    ['POST', '/api/admin/pause'],
    ['POST', '/api/admin/resume'],
  ];
  for (const [method = '', path = ''] of routes) {
    const answer = await ask(port, { method, path, token });
    assert.deepEqual(codeOf(answer), [400, 'sessions_unavailable'], `${method} ${path}`);
    assert.equal(answer.envelope.dispatch_certainty, 'not_started');
  }
});

test('a token that is limited to Runners reaches only sessions whose agents are limited to the same', async (t) => {
  const { host, gateway, get, send } = await setUp(t);
  host.runners.set(OWL.id, ['near']);
  const open = host.add('a');
  const near = host.add('b', { agents: [OWL], host: OWL.id });
  const empty = host.add('c', { agents: [] });
  const foreign = host.add('d', { agents: [{ id: `agt_${'x'.repeat(43)}`, name: 'x' }] });
  const token = await gateway.mint(
    ['session:read', 'session:write', 'session:approve', 'admin'],
    ['near', 'far'],
  );
  const listed = (await get('/api/sessions', token)).envelope.output as {
    sessions: readonly { id: string }[];
  };
  assert.deepEqual(
    listed.sessions.map(({ id }) => id),
    [near, empty],
  );
  host.asked.length = 0;
  for (const id of [open, foreign]) {
    const routes: readonly (readonly [string, string, Json?])[] = [
      ['GET', ''],
      ['PATCH', '', { name: 'x' }],
      ['GET', '/entries'],
      ['POST', '/entries', { text: 'x', key: 'k' }],
      ['GET', '/stream'],
      ['GET', '/export'],
      ['POST', '/run', { text: 'x' }],
      ['POST', '/cancel'],
      ['POST', '/continue'],
    ];
    for (const [method, rest, body] of routes) {
      const answer = await send(method, `/api/sessions/${id}${rest}`, body, token);
      assert.deepEqual(codeOf(answer), [400, 'token_limited'], `${method} ${rest}`);
    }
  }
  // A command looks at every session there is.
  const command = await send('POST', `/api/sessions/${near}/command`, { line: '/sessions' }, token);
  assert.deepEqual(codeOf(command), [400, 'token_limited']);
  const made = await send('POST', '/api/sessions', { agents: ['owl', 'fox'] }, token);
  assert.deepEqual(codeOf(made), [400, 'token_limited']);
  assert.deepEqual(host.asked, []);
  const said = await send('POST', `/api/sessions/${near}/entries`, { text: 'x', key: 'k' }, token);
  assert.equal(said.status, 200);
  assert.equal((await send('POST', '/api/sessions', { agents: ['owl'] }, token)).status, 200);
});

test('a fault of the host that has no row is told by its code, and what was done is not claimed', async (t) => {
  const { host, gateway, get, send } = await setUp(t);
  const id = host.add('a');
  host.post = async () => {
    throw new Error('SECRET of the machine');
  };
  const answer = await send('POST', `/api/sessions/${id}/entries`, { text: 'x', key: 'k' });
  assert.deepEqual(codeOf(answer), [400, 'internal_error']);
  assert.equal(answer.envelope.dispatch_certainty, 'outcome_unknown');
  assert.ok(!answer.text.includes('SECRET'));
  host.onLine = async () => {
    throw new Error('SECRET of the machine');
  };
  const reading = await get(`/api/sessions/${id}`);
  assert.equal(reading.envelope.dispatch_certainty, 'not_started');
  assert.ok(gateway.lines.some((line) => line.includes('admin.failed')));
});

test('models are listed; addresses and files of their back ends are for the scope admin alone', async (t) => {
  const { gateway, get } = await setUp(t);
  const output = { default: 'local/small', models: ['local/small', 'local/large'] };
  const whole = { name: 'local', type: 'scripted', file: '/srv/demo.json', key: 'none' };
  assert.deepEqual((await get('/api/models')).envelope.output, { ...output, backends: [whole] });
  const reader = await gateway.mint(['session:read']);
  const { file: _, ...shown } = whole;
  assert.deepEqual((await get('/api/models', reader)).envelope.output, { ...output, backends: [shown] });
});

test('back ends that are new in the file are taken, and those that wait for a start are named', async (t) => {
  const { gateway, send } = await setUp(t);
  const { output } = (await send('POST', '/api/admin/models/reload')).envelope;
  assert.deepEqual(output, { added: ['demo'], later: ['keyed'], words: ['A turn stops at 5 tokens.'] });
  assert.equal(gateway.lines.filter((line) => line.includes('"models.added"')).length, 1);
});

test('pause and resume say what is so now, and whether they changed it', async (t) => {
  const { gateway, get, send } = await setUp(t);
  const outputs: Json[] = [];
  for (const word of ['pause', 'pause', 'resume', 'resume'])
    outputs.push((await send('POST', `/api/admin/${word}`)).envelope.output);
  assert.deepEqual(outputs, [
    { paused: true, changed: true },
    { paused: true, changed: false },
    { paused: false, changed: true },
    { paused: false, changed: false },
  ]);
  const told = gateway.lines.filter((line) => /"host\.(paused|resumed)"/.test(line));
  assert.equal(told.length, 2);
  await send('POST', '/api/admin/pause');
  const status = (await get('/api/admin/status')).envelope.output as JsonObject;
  assert.deepEqual(status['agents'], { pausedAtMs: 5_000, agents: ['fox'], sessions: 0, running: 0 });
});
