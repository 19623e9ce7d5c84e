// What a client does in a session of a real host: over HTTP and over `fairlead mcp`, with approvals, answers that are lost, tokens that end,
// and a host that is killed while somebody is asked.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import { ask } from '../packages/gateway/test/fixture/http-client.ts';
import { endHost, type Host, launcher, start, startHost } from './fairlead-process.ts';

const BACKEND = `
[[backends]]
name = "demo"
type = "scripted"
file = "script.json"

[[agents]]
name = "scout"
`;
const SCRIPT = { format: 'fairlead-script-v1', scripts: { default: [{ steps: [{ text: 'I am here.' }] }] } };

type Answer = { readonly code: string | null; readonly certainty: string; readonly envelope: JsonObject };

/** A host over a state directory, and the way to it with its operator's token. */
async function hostOf(t: TestContext, stateDirectory: string) {
  const host = await startHost(t, { stateDirectory, command: 'serve' });
  const port = Number(new URL(host.ready.url).port);
  const request = async (method: string, path: string, body?: Json, token = host.token) => {
    const { envelope } = await ask(port, { method, path, token, ...(body === undefined ? {} : { body }) });
    return envelope;
  };
  const call = async (tool: string, params: JsonObject, session?: string, token = host.token) => {
    const body = { tool, params, ...(session === undefined ? {} : { recording_session_id: session }) };
    const envelope = await request('POST', '/api/tools/call', body, token);
    const { dispatch_certainty: certainty, error } = envelope;
    return { code: error?.code ?? null, certainty, envelope: envelope as unknown as JsonObject };
  };
  const inside = (session: string, tool: string, args: JsonObject, token?: string): Promise<Answer> =>
    call('call_runtime_tool', { tool, arguments: args }, session, token);
  const approvals = async () => {
    const { output } = await request('GET', '/api/approvals');
    return (output as { approvals: { id: string; session: string | null }[] }).approvals;
  };
  const asked = async () => {
    await waitFor(async () => (await approvals()).length > 0, { what: 'the question', timeoutMs: 20_000 });
    return (await approvals())[0]?.id ?? '';
  };
  const entries = async (session: string) => {
    const { output } = await request('GET', `/api/sessions/${session}/entries`);
    return (output as { entries: { type: string; certainty?: string; code?: string }[] }).entries
      .map(({ type, certainty, code }) => [type, certainty, code].filter(Boolean).join(' '))
      .reverse();
  };
  return { host, port, request, call, inside, approvals, asked, entries };
}

function stateIn(t: TestContext, more = ''): string {
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  mkdirSync(stateDirectory, { mode: 0o700 });
  writeFileSync(join(stateDirectory, 'fairlead.toml'), `${BACKEND}${more}`);
  writeFileSync(join(stateDirectory, 'script.json'), JSON.stringify(SCRIPT));
  return stateDirectory;
}

const RESTRICTED = '\n[policy]\nauthority = "restricted"\n';

/** Asks and hangs up when `when` has resolved. */
async function hangUp(
  { port, host }: { readonly port: number; readonly host: Host },
  body: JsonObject,
  when: () => Promise<unknown>,
): Promise<void> {
  const payload = JSON.stringify(body);
  const request = httpRequest({
    ...{ host: '127.0.0.1', port, path: '/api/tools/call', method: 'POST', agent: false },
    headers: {
      authorization: `Bearer ${host.token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(payload),
    },
  });
  const gone = new Promise<void>((resolve) => {
    request.on('error', () => {});
    request.on('close', () => resolve());
  });
  request.end(payload);
  await when();
  request.destroy();
  await gone;
}

test('a client that hangs up while somebody is asked runs nothing, comes back, and takes the decision once', async (t) => {
  hygiene(t);
  const stateDirectory = stateIn(t, RESTRICTED);
  const { host, port, request, inside, asked, approvals, entries } = await hostOf(t, stateDirectory);
  const made = await request('POST', '/api/sessions', { agents: ['scout'] });
  const session = String((made.output as JsonObject)['id']);
  const args = { path: 'a.txt', content: 'one\n' };
  const file = join(stateDirectory, 'workspaces', session, 'a.txt');
  const body = {
    tool: 'call_runtime_tool',
    params: { tool: 'write_file', arguments: args },
    recording_session_id: session,
  };
  let approval = '';
  await hangUp({ port, host }, body, async () => {
    approval = await asked();
  });
  // Its refusal stands in the session: the hold is over.
  await waitFor(async () => (await entries(session)).length === 3, { what: 'the end of the hold' });
  const decided = await request('POST', `/api/approvals/${approval}`, { decision: 'approve' });
  assert.equal(decided.success, true, JSON.stringify(decided));
  assert.equal(existsSync(file), false);
  const answer = await inside(session, 'write_file', args);
  assert.deepEqual([answer.code, answer.certainty], [null, 'completed'], JSON.stringify(answer));
  assert.equal(readFileSync(file, 'utf8'), 'one\n');
  // A token that ends while its call is held.
  const minted = await request('POST', '/api/admin/tokens', { name: 'guest', scopes: ['session:write'] });
  const { secret, token } = minted.output as { secret: string; token: { id: string } };
  const held = inside(session, 'write_file', { ...args, content: 'two\n' }, secret);
  const second = await asked();
  assert.equal((await request('DELETE', `/api/admin/tokens/${token.id}`)).success, true);
  assert.equal((await held).certainty, 'not_started');
  await request('POST', `/api/approvals/${second}`, { decision: 'approve' });
  assert.deepEqual(await approvals(), []);
  assert.equal(readFileSync(file, 'utf8'), 'one\n');
  assert.deepEqual(await entries(session), [
    'approval_request',
    'tool_call',
    'tool_result not_started call_cancelled',
    'approval_decision',
    'tool_call',
    'tool_result completed',
    'approval_request',
    'tool_call',
    'tool_result not_started token_ended',
    'approval_decision',
  ]);
  assert.equal((await endHost(host)).exit, 0);
});

test('a host that is killed while somebody is asked knows after its start that nothing ran, and asks anew', async (t) => {
  hygiene(t);
  const stateDirectory = stateIn(t, RESTRICTED);
  const first = await hostOf(t, stateDirectory);
  const made = await first.request('POST', '/api/sessions', { agents: ['scout'] });
  const session = String((made.output as JsonObject)['id']);
  const args = { path: 'a.txt', content: 'one\n' };
  const lost = first.inside(session, 'write_file', args).catch(() => 'lost');
  const reload = first
    .call('call_runtime_tool', { tool: 'reload_runner_config', arguments: { runner: 'none' } })
    .catch(() => 'lost');
  await first.asked();
  await endHost(first.host, 'SIGKILL');
  assert.equal(await lost, 'lost');
  await reload;
  const next = await hostOf(t, stateDirectory);
  assert.deepEqual(await next.approvals(), []);
  assert.deepEqual(await next.entries(session), ['approval_request', 'approval_decision']);
  const { output } = await next.request('GET', '/api/admin/journal');
  assert.equal(JSON.stringify(output).includes('outcome_unknown'), false);
  assert.equal(existsSync(join(stateDirectory, 'workspaces', session, 'a.txt')), false);
  const again = next.inside(session, 'write_file', args);
  const approval = await next.asked();
  await next.request('POST', `/api/approvals/${approval}`, { decision: 'deny' });
  assert.equal((await again).code, 'approval_denied');
  assert.equal((await endHost(next.host)).exit, 0);
});

test('a client of fairlead mcp that cancels a call while somebody is asked runs nothing', async (t) => {
  hygiene(t);
  const stateDirectory = stateIn(t, RESTRICTED);
  const { host, request, asked, entries } = await hostOf(t, stateDirectory);
  const made = await request('POST', '/api/sessions', { agents: ['scout'] });
  const session = String((made.output as JsonObject)['id']);
  const client = start(t, launcher, ['mcp', '--state-dir', stateDirectory], { keepInput: true });
  const say = (message: JsonObject) => client.type(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  say({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  await client.untilStdout('"id":1');
  const args = { path: 'a.txt', content: 'one\n' };
  const call = { tool: 'write_file', arguments: args, recording_session_id: session };
  say({ id: 2, method: 'tools/call', params: { name: 'call_runtime_tool', arguments: call } });
  const approval = await asked();
  say({ method: 'notifications/cancelled', params: { requestId: 2, reason: 'never mind' } });
  await waitFor(async () => (await entries(session)).length === 3, { what: 'the end of the hold' });
  await request('POST', `/api/approvals/${approval}`, { decision: 'approve' });
  assert.deepEqual((await entries(session)).at(2), 'tool_result not_started call_cancelled');
  assert.equal(existsSync(join(stateDirectory, 'workspaces', session, 'a.txt')), false);
  client.child.stdin?.end();
  assert.equal((await client.ended).exit, 0);
  assert.equal((await endHost(host)).exit, 0);
});

test('what is held when the host stops is answered as not started', async (t) => {
  hygiene(t);
  const { host, request, inside, asked } = await hostOf(t, stateIn(t, RESTRICTED));
  const made = await request('POST', '/api/sessions', { agents: ['scout'] });
  const session = String((made.output as JsonObject)['id']);
  const held = inside(session, 'write_file', { path: 'a.txt', content: 'one\n' });
  await asked();
  const ended = endHost(host);
  assert.deepEqual([(await held).code, (await held).certainty], ['call_cancelled', 'not_started']);
  assert.equal((await ended).exit, 0);
});

test('over fairlead mcp a client makes a session, talks in it, runs its tools and reads all of it again', async (t) => {
  hygiene(t);
  const { host } = await hostOf(t, stateIn(t));
  const client = start(t, launcher, ['mcp', '--state-dir', host.stateDirectory], { keepInput: true });
  let asked = 0;
  const rpc = async (method: string, params: JsonObject): Promise<JsonObject> => {
    asked += 1;
    client.type(`${JSON.stringify({ jsonrpc: '2.0', id: asked, method, params })}\n`);
    const mark = `"id":${asked}}`;
    const isAnswer = (line: string) => line.includes(`"id":${asked},`) || line.includes(mark);
    await client.untilStdout(new RegExp(`"id":${asked}[,}]`));
    await waitFor(() => client.stdout.split('\n').some((line) => isAnswer(line) && line.endsWith('}')), {
      what: 'the whole line',
    });
    const line = client.stdout.split('\n').find(isAnswer) ?? '{}';
    const { result } = JSON.parse(line) as JsonObject;
    assert.ok(isJsonObject(result ?? null), line);
    return result as JsonObject;
  };
  const call = async (name: string, args: JsonObject): Promise<JsonObject> =>
    await rpc('tools/call', { name, arguments: args });
  await rpc('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  const listed = (await rpc('tools/list', {}))['tools'] as { name: string; inputSchema: JsonObject }[];
  assert.deepEqual(
    listed.map(({ name }) => name),
    [
      ...['plugin_tool', 'work_on_project', 'read_tool_manifest', 'call_runtime_tool'],
      ...['session_list', 'session_create', 'session_read', 'session_append'],
    ],
  );
  for (const { inputSchema } of listed)
    assert.ok(Object.hasOwn(inputSchema['properties'] as JsonObject, 'recording_session_id'));
  const made = (await call('session_create', { name: 'desk', agents: ['scout'] }))['structuredContent'];
  const session = String((made as JsonObject)['id']);
  const about = { recording_session_id: session };
  const manifest = (await call('read_tool_manifest', about))['structuredContent'] as JsonObject;
  const names = (manifest['tools'] as { name: string }[]).map(({ name }) => name);
  for (const name of ['read_file', 'write_file', 'calculate', 'session_read'])
    assert.ok(names.includes(name), name);
  const sum = await call('call_runtime_tool', {
    tool: 'calculate',
    arguments: { expression: '6*7' },
    ...about,
  });
  assert.match(JSON.stringify(sum['content']), /42/);
  assert.equal((sum['_meta'] as JsonObject)['dispatchState'], 'completed');
  // An argument of this name never reaches the tool.
  const wrong = await call('call_runtime_tool', { tool: 'calculate', recording_session_id: 'ses_none' });
  assert.equal(wrong['isError'], true);
  assert.match(JSON.stringify(wrong['structuredContent']), /unknown_session_id/);
  const sent = await call('session_append', { session, text: 'Are you there?', key: 'k1' });
  assert.equal((sent['structuredContent'] as JsonObject)['again'], false);
  await waitFor(
    async () => JSON.stringify(await call('session_read', { session, limit: 1 })).includes('turn_end'),
    { what: 'the end of the turn', intervalMs: 50, timeoutMs: 20_000 },
  );
  const read = (await call('session_read', { session }))['structuredContent'] as JsonObject;
  const types = (read['entries'] as { type: string; text?: string }[]).map(({ type }) => type).reverse();
  assert.deepEqual(types.slice(0, 3), ['tool_call', 'tool_result', 'tool_call']);
  assert.match(JSON.stringify(read['entries']), /I am here\./);
  client.child.stdin?.end();
  assert.equal((await client.ended).exit, 0);
  assert.equal((await endHost(host)).exit, 0);
});
