import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { seededRandom } from '@fairlead/testing';
import { Ajv } from 'ajv';
import {
  createTools,
  directTool,
  type Invocation,
  type Principal,
  type RuntimeTool,
  readsOnly,
} from '../src/index.ts';
import { Invoker } from '../src/invocation/invoker.ts';
import { callRuntimeTool } from '../src/tools/call-runtime-tool.ts';
import { readToolManifest } from '../src/tools/read-tool-manifest.ts';
import { type DispatchFloor, dispatchFloor, type TestContext } from './dispatch-floor.ts';

/** A principal without any scope. */
const NOBODY: Principal = { id: 'token:nobody', scopes: [] };

/** One that may write into sessions. */
const WRITER: Principal = { id: 'token:writer', scopes: ['session:write'] };

type Kit = {
  readonly floor: DispatchFloor;
  readonly tools: readonly RuntimeTool[];
  call(name: string, params: Json, principal?: Principal, recordingSessionId?: string): Promise<Invocation>;
};

async function kit(t: TestContext): Promise<Kit> {
  const floor = await dispatchFloor(t);
  floor.runners.connected = [];
  const tools = createTools(floor.ports);
  const call: Kit['call'] = async (name, params, principal = NOBODY, recordingSessionId) => {
    const tool = directTool(tools, name);
    if (typeof tool === 'string') throw new Error(tool);
    return await tool.invoke({
      params,
      principal,
      ...(recordingSessionId === undefined ? {} : { recordingSessionId }),
    });
  };
  return { floor, tools, call };
}

test('what only reads is known by its name and action, as its own tool journals it', async (t) => {
  const { tools } = await kit(t);
  for (const { definition } of tools) {
    const { name, annotations } = definition;
    assert.equal(readsOnly(name, {}), annotations['readOnlyHint'], name);
  }
  for (const [action, reads] of [
    ['list', true],
    ['describe', true],
    ['outcome', true],
    ['call', false],
    ['check', false],
    ['reload', false],
    ['other', false],
    ['toString', false],
  ] as const)
    assert.equal(readsOnly('plugin_tool', { action }), reads, action);
  assert.equal(readsOnly('call_runtime_tool', { tool: 'check_runner_config' }), true);
  assert.equal(readsOnly('call_runtime_tool', { tool: 'reload_runner_config' }), false);
  assert.equal(readsOnly('plugin_tool', null), false);
  assert.equal(readsOnly('of_another_version', { action: 'list' }), false);
});

test('the direct tools stand in a fixed order before those with the route gateway', async (t) => {
  const { tools } = await kit(t);
  const direct = tools.filter(({ route }) => route === 'direct');
  assert.deepEqual(
    direct.map(({ definition }) => definition.name),
    ['plugin_tool', 'work_on_project', 'read_tool_manifest', 'call_runtime_tool'],
  );
  assert.deepEqual(tools.slice(0, direct.length), direct);
  assert.equal(Object.isFrozen(tools), true);
});

test('every definition is frozen, has a schema that a validator compiles, and says the worst that it can do', async (t) => {
  const { tools } = await kit(t);
  for (const { definition } of tools) {
    assert.equal(Object.isFrozen(definition), true, definition.name);
    assert.equal(Object.isFrozen(definition.inputSchema['properties']), true, definition.name);
    new Ajv({ strict: true }).compile(definition.inputSchema);
    assert.equal(definition.inputSchema['additionalProperties'], false, definition.name);
    assert.deepEqual(
      Object.keys(definition.annotations).sort(),
      ['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint'],
      definition.name,
    );
  }
  const hints = (name: string) =>
    tools.find(({ definition }) => definition.name === name)?.definition.annotations;
  const worst = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  assert.deepEqual(hints('plugin_tool'), worst);
  assert.deepEqual(hints('call_runtime_tool'), worst);
  assert.deepEqual(hints('read_tool_manifest'), {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  });
});

test('read_tool_manifest answers for every tool, to a token without scopes and with no Runner online', async (t) => {
  const { floor, tools, call } = await kit(t);
  for (const { definition, route, scopes } of tools) {
    const answer = await call('read_tool_manifest', { tool_name: definition.name });
    assert.deepEqual(answer, {
      call: answer.call,
      action: 'read_tool_manifest',
      certainty: 'completed',
      output: {
        name: definition.name,
        description: definition.description,
        route,
        scopes: [...scopes],
        annotations: definition.annotations,
        inputSchema: definition.inputSchema,
      },
      summary: 'What the gateway knows about the tool.',
    });
  }
  assert.deepEqual(floor.runners.sent, []);
});

test('read_tool_manifest of a name that no tool has is unknown_tool, with its row in the journal', async (t) => {
  const { floor, call } = await kit(t);
  const answer = await call('read_tool_manifest', { tool_name: 'no_such_tool' });
  assert.deepEqual(answer, {
    call: answer.call,
    action: 'read_tool_manifest',
    certainty: 'not_started',
    error: {
      code: 'unknown_tool',
      message: 'There is no tool of this name.',
      recovery: 'Take the name from the list of tools; a provider’s tool is reached through plugin_tool.',
    },
  });
  assert.deepEqual(await floor.rows(), [
    {
      principal: 'token:nobody',
      action: 'read_tool_manifest',
      runner: null,
      plugin: null,
      tool: 'no_such_tool',
      binding_present: 0,
      arguments_digest: null,
      certainty: 'not_started',
      code: 'unknown_tool',
    },
  ]);
});

const WRONG: readonly (readonly [string, Json, JsonObject])[] = [
  ['read_tool_manifest', null, { problem: 'not_an_object' }],
  ['read_tool_manifest', ['plugin_tool'], { problem: 'not_an_object' }],
  ['read_tool_manifest', { tool_name: 'plugin_tool', MARKER: 1 }, { problem: 'unknown_member' }],
  ['read_tool_manifest', { tool_name: '' }, { member: 'tool_name', problem: 'invalid' }],
  ['read_tool_manifest', { tool_name: 7 }, { member: 'tool_name', problem: 'invalid' }],
  ['read_tool_manifest', { tool_name: 'a\nb' }, { member: 'tool_name', problem: 'invalid' }],
  ['read_tool_manifest', { tool_name: 'x'.repeat(129) }, { member: 'tool_name', problem: 'invalid' }],
  ['call_runtime_tool', null, { problem: 'not_an_object' }],
  ['call_runtime_tool', {}, { member: 'tool', problem: 'missing' }],
  ['call_runtime_tool', { tool: 'x', MARKER: 1 }, { problem: 'unknown_member' }],
  ['call_runtime_tool', { tool: '' }, { member: 'tool', problem: 'invalid' }],
  ['call_runtime_tool', { tool: 'x', arguments: [] }, { member: 'arguments', problem: 'not_an_object' }],
  ['call_runtime_tool', { tool: 'x', arguments: null }, { member: 'arguments', problem: 'not_an_object' }],
];

for (const [name, params, detail] of WRONG)
  test(`${name} with ${JSON.stringify(params)?.slice(0, 60)} is refused, says how it is used, and leaves no row`, async (t) => {
    const { floor, call } = await kit(t);
    const answer = await call(name, params);
    const usage = {
      read_tool_manifest: 'read_tool_manifest takes tool_name, or nothing.',
      call_runtime_tool: 'call_runtime_tool takes tool, and arguments (an object) where the tool takes any.',
    }[name];
    assert.deepEqual(answer, {
      action: name,
      certainty: 'not_started',
      error: {
        code: 'invalid_arguments',
        message: 'The arguments are not what the tool takes; nothing was sent.',
        recovery: usage,
        detail,
      },
    });
    assert.deepEqual(await floor.rows(), []);
  });

test('call_runtime_tool refuses a direct tool and says to call it directly', async (t) => {
  const { floor, call } = await kit(t);
  for (const tool of ['plugin_tool', 'read_tool_manifest', 'call_runtime_tool']) {
    const answer = await call('call_runtime_tool', { tool, arguments: { action: 'list' } });
    assert.deepEqual(answer, {
      call: answer.call,
      action: 'call_runtime_tool',
      certainty: 'not_started',
      error: {
        code: 'tool_route_direct',
        message: 'The tool is called by its own name, not through call_runtime_tool; nothing was sent.',
        recovery: 'Call it directly, with the same arguments.',
      },
    });
  }
  assert.deepEqual(
    (await floor.rows()).map((row) => [row['action'], row['tool'], row['certainty'], row['code']]),
    [
      ['call_runtime_tool', 'plugin_tool', 'not_started', 'tool_route_direct'],
      ['call_runtime_tool', 'read_tool_manifest', 'not_started', 'tool_route_direct'],
      ['call_runtime_tool', 'call_runtime_tool', 'not_started', 'tool_route_direct'],
    ],
  );
});

test('call_runtime_tool of a name that no tool has is unknown_tool, unless it names a session that does not exist', async (t) => {
  const { floor, call } = await kit(t);
  const codes = [
    (await call('call_runtime_tool', { tool: 'no_such_tool' })).error?.code,
    (await call('call_runtime_tool', { tool: 'no_such_tool' }, WRITER, 'ses_none')).error?.code,
    (await call('call_runtime_tool', { tool: 'plugin_tool' }, WRITER, 'ses_none')).error?.code,
    (await call('read_tool_manifest', { tool_name: 'plugin_tool' }, WRITER, 'ses_none')).error?.code,
  ];
  const expected = ['unknown_tool', 'unknown_session_id', 'unknown_session_id', 'unknown_session_id'];
  assert.deepEqual(codes, expected);
  assert.deepEqual(
    (await floor.rows()).map((row) => row['code']),
    expected,
  );
});

test('a tool with the route gateway is reached through call_runtime_tool alone, under its own name, scope and row', async (t) => {
  const floor = await dispatchFloor(t);
  const invoker = new Invoker({
    journal: floor.journal,
    random: seededRandom(6),
    authority: 'trusted_agent',
    digestKey: floor.ports.digestKey,
  });
  const asked: Json[] = [];
  const inner: RuntimeTool = {
    definition: { name: 'inner_tool', description: '', inputSchema: {}, annotations: {} },
    route: 'gateway',
    scopes: ['runner:manage'],
    invoke: (request) =>
      invoker.invoke(request, (params) => {
        asked.push(params);
        return {
          ok: true,
          task: {
            action: 'inner_tool',
            scope: 'runner:manage',
            subject: { bindingPresent: false, runner: 'local' },
            summary: 'Done.',
            run: async () => ({ certainty: 'completed', output: { done: true } }),
          },
        };
      }),
  };
  const tools: RuntimeTool[] = [];
  tools.push(
    readToolManifest(invoker, () => tools),
    callRuntimeTool(invoker, () => tools),
    inner,
  );
  const door = directTool(tools, 'call_runtime_tool');
  if (typeof door === 'string') throw new Error(door);
  assert.equal(directTool(tools, 'inner_tool'), 'tool_route_gateway');
  assert.deepEqual(door.scopes, ['runner:manage']);

  const refused = await door.invoke({ params: { tool: 'inner_tool' }, principal: NOBODY });
  assert.deepEqual([refused.action, refused.needsScope], ['inner_tool', 'runner:manage']);
  const manager: Principal = { id: 'token:manager', scopes: ['runner:manage'] };
  const answer = await door.invoke({
    params: { tool: 'inner_tool', arguments: { runner: 'local' } },
    principal: manager,
  });
  assert.deepEqual([answer.action, answer.output], ['inner_tool', { done: true }]);
  assert.deepEqual(asked, [{}, { runner: 'local' }]);
  assert.deepEqual(
    (await floor.rows()).map((row) => [row['principal'], row['action'], row['code']]),
    [
      ['token:nobody', 'inner_tool', 'insufficient_scope'],
      ['token:manager', 'inner_tool', null],
    ],
  );
});

test('plugin_tool behind the registry is the executor as it was', async (t) => {
  const { tools } = await kit(t);
  const [tool] = tools;
  assert.equal(tool?.definition.name, 'plugin_tool');
  assert.deepEqual(tool?.scopes, ['plugin:inspect', 'plugin:invoke', 'plugin:manage']);
  const principal: Principal = { id: 'token:x', scopes: ['plugin:inspect'] };
  const listed = await tool?.invoke({ params: { action: 'list' }, principal });
  assert.deepEqual(listed?.output, { runners: [] });
});
