import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { Ajv } from 'ajv';
import {
  createTools,
  type DeskAnswer,
  type Invocation,
  type Principal,
  type RuntimeTool,
  readsOnly,
  type SessionDesk,
  type SessionTool,
  type SessionToolCall,
} from '../src/index.ts';
import { dispatchFloor, gist, type TestContext } from './dispatch-floor.ts';
import { fakeSessions } from './fake-sessions.ts';

const WRITER: Principal = { id: 'token:writer', scopes: ['session:read', 'session:write'] };
const LOOK: SessionTool = {
  name: 'look',
  description: `Looks.\n${'x'.repeat(400)}`,
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  scopes: ['session:write'],
  extension: 'desk',
  tier: 'in_process',
};

async function kit(t: TestContext, more: { readonly tools?: readonly SessionTool[] } = {}) {
  const sessions = fakeSessions();
  const called: SessionToolCall[] = [];
  const visits: Json[] = [];
  let answer: DeskAnswer = { ok: true, output: { done: true } };
  const note = async (_by: object, wanted: object) => {
    visits.push(wanted as Json);
    return answer;
  };
  const desk: SessionDesk = { list: note, create: note, read: note, append: note };
  const floor = await dispatchFloor(t, { sessions });
  const tools = createTools({
    ...floor.ports,
    sessions,
    sessionDesk: desk,
    sessionTools: {
      list: async (session) =>
        session === 'ses_here'
          ? { ok: true, tools: more.tools ?? [LOOK] }
          : { ok: false, error: { code: 'session_closed', message: 'It is closed.' } },
      async call(request) {
        called.push(request);
        return { call: request.call, action: request.tool, certainty: 'completed', output: { text: 'seen' } };
      },
    },
  });
  const call = async (
    name: string,
    params: Json,
    session?: string,
    principal = WRITER,
  ): Promise<Invocation> => {
    const tool = tools.find(({ definition }) => definition.name === name) as RuntimeTool;
    return await tool.invoke({
      params,
      principal,
      ...(session === undefined ? {} : { recordingSessionId: session }),
    });
  };
  return {
    ...{ floor, tools, called, visits, call, sessions },
    answers: (next: DeskAnswer) => {
      answer = next;
    },
  };
}

test('the tools about sessions stand behind the others in a fixed order, are listed, and say what they do', async (t) => {
  const { tools } = await kit(t);
  assert.deepEqual(
    tools.filter(({ route }) => route === 'direct').map(({ definition }) => definition.name),
    [
      ...['plugin_tool', 'work_on_project', 'read_tool_manifest', 'call_runtime_tool'],
      ...['session_list', 'session_create', 'session_read', 'session_append'],
    ],
  );
  for (const { definition } of tools) {
    const { name, annotations, inputSchema } = definition;
    assert.equal(Object.isFrozen(definition), true, name);
    new Ajv({ strict: true }).compile(inputSchema);
    assert.equal(readsOnly(name, {}), annotations['readOnlyHint'], name);
  }
  assert.deepEqual(tools.find(({ definition }) => definition.name === 'call_runtime_tool')?.scopes, [
    'runner:manage',
    'session:write',
    'plugin:invoke',
    'mcp:invoke',
  ]);
});

test('a name that the gateway has is never a session’s, and a session’s tool is asked for once, with a fresh id', async (t) => {
  const { call, called, floor } = await kit(t);
  const inside = (tool: string, session?: string, principal?: Principal) =>
    call('call_runtime_tool', { tool, arguments: { what: 1 } }, session, principal);
  const answer = await inside('look', 'ses_here');
  assert.equal(answer.call, called[0]?.call);
  assert.match(answer.call ?? '', /^call_[\w-]{22}$/);
  const { call: _id, ...asked } = called[0] ?? {};
  assert.deepEqual(asked, {
    session: 'ses_here',
    tool: 'look',
    arguments: { what: 1 },
    principal: WRITER,
    caller: undefined,
  });
  assert.deepEqual(gist(await inside('plugin_tool', 'ses_here')), ['not_started', 'tool_route_direct']);
  assert.deepEqual(gist(await inside('session_read', 'ses_here')), ['not_started', 'tool_route_direct']);
  assert.deepEqual(gist(await inside('check_runner_config', 'ses_here')), [
    'not_started',
    'invalid_arguments',
  ]);
  assert.deepEqual(gist(await inside('look')), ['not_started', 'unknown_tool']);
  const reader: Principal = { id: 'token:reader', scopes: ['session:read'] };
  const refused = await inside('look', 'ses_here', reader);
  assert.deepEqual([refused.error?.code, refused.needsScope], ['insufficient_scope', 'session:write']);
  assert.equal(called.length, 1);
  const codes = (await floor.rows()).map((row) => row['code']);
  assert.deepEqual(codes, ['unknown_tool', 'insufficient_scope']);
});

test('a list of tools that is longer than an answer says so', async (t) => {
  const many = Array.from({ length: 1000 }, (_none, index) => ({ ...LOOK, name: `look_${index}` }));
  const { call } = await kit(t, { tools: many });
  const { output } = await call('read_tool_manifest', {}, 'ses_here');
  const rows = output?.['tools'] as JsonObject[];
  assert.equal(output?.['totalCount'], 1010);
  assert.equal(output?.['truncated'], true);
  assert.ok(Buffer.byteLength(JSON.stringify(rows)) <= 67_000 && rows.length > 100);
  assert.equal(rows.at(-1)?.['about'], 'Looks.');
});

test('why a session’s tools are not told stands in its own words', async (t) => {
  const { call, sessions } = await kit(t);
  sessions.known.set('ses_other', undefined);
  const answer = await call('read_tool_manifest', { tool_name: 'look' }, 'ses_other');
  assert.deepEqual(
    [answer.certainty, answer.error?.code, answer.error?.message],
    ['not_started', 'session_closed', 'It is closed.'],
  );
});

test('what the desk answers is the output, what it refuses has its own words, and what it fails at was our fault', async (t) => {
  const { call, answers, visits, floor } = await kit(t);
  const made = await call('session_create', { name: 'Plans', agents: ['ann'], mode: 'inspect' });
  assert.deepEqual(made.output, { done: true });
  await call('session_list', {});
  await call('session_read', { session: 'ses_1', before: 'a:1:0', limit: 100 });
  await call('session_append', { session: 'ses_1', text: 'hello', key: 'k', agent: 'ann' });
  assert.deepEqual(visits, [
    { name: 'Plans', agents: ['ann'], mode: 'inspect' },
    { closed: false, limit: 20 },
    { session: 'ses_1', limit: 100, before: 'a:1:0' },
    { session: 'ses_1', text: 'hello', key: 'k', agent: 'ann' },
  ]);
  answers({
    ok: false,
    error: {
      code: 'agent_unknown',
      message: 'No such agent.',
      recovery: 'Name another.',
      detail: { agents: 1 },
    },
  });
  const refused = await call('session_create', {});
  assert.deepEqual(refused.error, {
    code: 'agent_unknown',
    message: 'No such agent.',
    recovery: 'Name another.',
    detail: { agents: 1 },
  });
  const rows = (await floor.rows()).map((row) => [row['action'], row['certainty'], row['code']]);
  assert.deepEqual(
    rows.filter(([action]) => action === 'session_create'),
    [
      ['session_create', 'completed', null],
      ['session_create', 'not_started', 'agent_unknown'],
    ],
  );
});
