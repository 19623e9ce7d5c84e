// native-plugin-protocol §10, §11, §15
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import {
  checkPhases,
  checkResponse,
  outcomeOf,
  type RunnerPayload,
  type RunnerRequest,
  readRunnerResponse,
  responseOf,
} from '../src/index.ts';

const ROW = { id: 'echo', name: 'Echo', status: 'ready', error_code: null };
const READY = {
  kind: 'check',
  provider: 'echo',
  ready: true,
  phase: 'ready',
  tools: [{ name: 'a', title: 'A' }, { name: 'b' }],
};
const BROKEN = {
  kind: 'check',
  provider: 'echo',
  ready: false,
  phase: 'validation',
  code: 'plugin_tools_list_invalid',
  detail: 'The plugin’s tools are not admitted.',
  diagnostic: { code: 'schema_keyword_unsupported', tool: 'a', field: 'inputSchema' },
  tools: [],
};
const LIST = {
  kind: 'tools_list',
  provider: 'echo',
  provider_instance: 'pin_1',
  name: 'Echo',
  status: 'ready',
  error_code: null,
  tools: [{ definition: { name: 'a', inputSchema: { type: 'object' } }, observation: 'o', timeout_secs: 30 }],
};

function payloadOf(payload: JsonObject): JsonObject {
  return { dispatch_state: 'completed', payload };
}

describe('answers of a Runner', () => {
  const good: readonly JsonObject[] = [
    payloadOf({ kind: 'providers_list', providers: [] }),
    payloadOf({
      kind: 'providers_list',
      providers: [
        ROW,
        { id: 'slow', name: 'Slow', status: 'starting', error_code: null },
        { id: 'dead', name: 'Dead', status: 'failed', error_code: 'plugin_eof' },
      ],
    }),
    payloadOf(LIST),
    payloadOf({
      ...LIST,
      provider_instance: null,
      status: 'failed',
      error_code: 'plugin_timeout',
      tools: [],
    }),
    payloadOf({ kind: 'tools_call', result: { content: [] } }),
    payloadOf(READY),
    payloadOf(BROKEN),
    payloadOf({
      kind: 'check',
      provider: 'echo',
      ready: false,
      phase: 'initialize',
      code: 'plugin_eof',
      tools: [],
    }),
    payloadOf({ kind: 'reload', providers: [ROW], failures: [] }),
    payloadOf({
      kind: 'reload',
      providers: [ROW],
      failures: [{ provider_id: 'echo', code: 'plugin_spawn_failed' }],
    }),
    {
      dispatch_state: 'completed',
      error: { code: 'plugin_rpc_error', message: 'The plugin answered with an error.' },
    },
    { dispatch_state: 'not_started', error: { code: 'a', message: 'x'.repeat(512) } },
    { dispatch_state: 'outcome_unknown', error: { code: 'x'.repeat(80), message: 'é'.repeat(256) } },
  ];
  for (const response of good) {
    it(`takes ${JSON.stringify(response).slice(0, 110)}`, () => {
      assert.deepEqual(readRunnerResponse(response), response);
    });
  }

  const bad: readonly (Json | undefined)[] = [
    undefined,
    null,
    [],
    {},
    { dispatch_state: 'completed' },
    { dispatch_state: 'done', payload: READY },
    { payload: READY },
    { dispatch_state: 'completed', payload: READY, error: { code: 'a', message: 'b' } },
    { dispatch_state: 'completed', payload: READY, extra: 1 },
    { dispatch_state: 'completed', payload: null },
    { dispatch_state: 'not_started', payload: READY },
    { dispatch_state: 'outcome_unknown', payload: { kind: 'tools_call', result: {} } },
    { dispatch_state: 'completed', error: null },
    { dispatch_state: 'completed', error: { code: 'a' } },
    { dispatch_state: 'completed', error: { code: 'a', message: 'b', detail: 1 } },
    { dispatch_state: 'completed', error: { code: 'A', message: 'b' } },
    { dispatch_state: 'completed', error: { code: '', message: 'b' } },
    { dispatch_state: 'completed', error: { code: 'x'.repeat(81), message: 'b' } },
    { dispatch_state: 'completed', error: { code: 'a', message: '' } },
    { dispatch_state: 'completed', error: { code: 'a', message: 'x'.repeat(513) } },
    { dispatch_state: 'completed', error: { code: 'a', message: 'é'.repeat(257) } },
    { dispatch_state: 'completed', error: { code: 'a', message: '\u001b[0m' } },
    payloadOf({ kind: 'outcome' }),
    payloadOf({ kind: 'tools_call', result: [] }),
    payloadOf({ kind: 'tools_call', result: {}, extra: 1 }),
    payloadOf({ kind: 'tools_call' }),
    payloadOf({ kind: 'providers_list' }),
    payloadOf({ kind: 'providers_list', providers: Array(9).fill(ROW) }),
    payloadOf({ kind: 'providers_list', providers: [{ ...ROW, id: 'UP' }] }),
    payloadOf({ kind: 'providers_list', providers: [{ ...ROW, name: ' ' }] }),
    payloadOf({ kind: 'providers_list', providers: [{ ...ROW, status: 'dead' }] }),
    payloadOf({ kind: 'providers_list', providers: [{ ...ROW, command: 'node' }] }),
    payloadOf({ kind: 'providers_list', providers: [{ ...ROW, error_code: 'plugin_eof' }] }),
    payloadOf({ kind: 'providers_list', providers: [{ ...ROW, status: 'failed' }] }),
    payloadOf({ kind: 'providers_list', providers: [{ ...ROW, status: 'starting', error_code: 'x' }] }),
    payloadOf({ ...LIST, error_code: 'x' }),
    payloadOf({ ...LIST, provider_instance: 7 }),
    payloadOf({ ...LIST, tools: [{ definition: [], observation: 'o', timeout_secs: 30 }] }),
    payloadOf({ ...LIST, tools: [{ definition: {}, observation: 'o', timeout_secs: 0 }] }),
    payloadOf({ ...LIST, tools: [{ definition: {}, observation: 'o', timeout_secs: 121 }] }),
    payloadOf({ ...LIST, tools: [{ definition: {}, observation: 'o', timeout_secs: 1.5 }] }),
    payloadOf({ ...LIST, tools: [{ definition: {}, timeout_secs: 30 }] }),
    payloadOf({ ...LIST, tools: Array(129).fill(LIST.tools[0]) as Json[] }),
    payloadOf({ kind: 'reload', providers: [ROW] }),
    payloadOf({ kind: 'reload', providers: [ROW], failures: [{ provider_id: 'echo', code: 'Bad' }] }),
    payloadOf({
      kind: 'reload',
      providers: [ROW],
      failures: [{ provider_id: 'echo', code: 'a', stderr: 'x' }],
    }),
  ];
  for (const response of bad) {
    it(`refuses ${JSON.stringify(response)?.slice(0, 110)}`, () => {
      assert.equal(readRunnerResponse(response), null);
    });
  }
});

describe('the consistency of a check report', () => {
  const inconsistent: readonly (readonly [string, JsonObject])[] = [
    ['ready with a code', { ...READY, code: 'plugin_eof' }],
    ['ready with a detail', { ...READY, detail: 'x' }],
    ['ready with a diagnostic', { ...READY, diagnostic: { code: 'tool_count_exceeded' } }],
    ['ready in another phase', { ...READY, phase: 'validation' }],
    ['not ready in phase ready', { ...BROKEN, phase: 'ready' }],
    [
      'not ready without a code',
      { kind: 'check', provider: 'echo', ready: false, phase: 'spawn', tools: [] },
    ],
    ['not ready with tools', { ...BROKEN, tools: [{ name: 'a' }] }],
    ['an unknown phase', { ...BROKEN, phase: 'warmup' }],
    ['an empty detail', { ...BROKEN, detail: '' }],
    ['a detail of more than 512 bytes', { ...BROKEN, detail: 'é'.repeat(257) }],
    ['an escape in a detail', { ...BROKEN, detail: '\u001b[0m' }],
    ['a diagnostic of another phase', { ...BROKEN, phase: 'tools_list' }],
    ['a diagnostic of another code', { ...BROKEN, code: 'plugin_provider_state_failed' }],
    ['an unknown diagnostic', { ...BROKEN, diagnostic: { code: 'whatever' } }],
    [
      'a diagnostic without its tool',
      { ...BROKEN, diagnostic: { code: 'invalid_tool_title', field: 'title' } },
    ],
    ['a diagnostic with more', { ...BROKEN, diagnostic: { code: 'tool_count_exceeded', line: '{}' } }],
    ['a tool name that is none', { ...READY, tools: [{ name: 'a b' }] }],
    ['a title that is none', { ...READY, tools: [{ name: 'a', title: '' }] }],
  ];
  for (const [what, report] of inconsistent) {
    it(`refuses ${what}`, () => assert.equal(readRunnerResponse(payloadOf(report)), null));
  }

  it('knows the nine phases in their order', () => {
    assert.deepEqual(checkPhases, [
      'config',
      'environment',
      'executable',
      'spawn',
      'stdio',
      'initialize',
      'tools_list',
      'validation',
      'ready',
    ]);
  });
});

describe('an answer and its request', () => {
  const requests: readonly RunnerRequest[] = [
    { kind: 'providers_list' },
    { kind: 'tools_list', provider: 'echo' },
    {
      kind: 'tools_call',
      provider: 'echo',
      provider_instance: 'i',
      tool: 'a',
      observation: 'o',
      arguments: {},
    },
    { kind: 'check', provider: 'echo' },
    { kind: 'reload' },
  ];
  const payloads = [
    { kind: 'providers_list', providers: [] },
    LIST,
    { kind: 'tools_call', result: {} },
    READY,
    { kind: 'reload', providers: [], failures: [] },
  ] as readonly RunnerPayload[];

  it('belong together only when they are of one kind', () => {
    for (const request of requests) {
      for (const payload of payloads) {
        const wanted = request.kind === payload.kind;
        assert.equal(
          checkResponse(request, { dispatch_state: 'completed', payload }),
          wanted,
          `${request.kind} ${payload.kind}`,
        );
      }
    }
  });

  it('belong together only when they speak of one provider', () => {
    for (const kind of ['check', 'tools_list'] as const) {
      const payload = payloads.find((candidate) => candidate.kind === kind) as RunnerPayload;
      assert.equal(
        checkResponse({ kind, provider: 'other' }, { dispatch_state: 'completed', payload }),
        false,
      );
    }
  });

  it('may always be an error, and a payload never without completion', () => {
    for (const request of requests) {
      assert.equal(
        checkResponse(request, { dispatch_state: 'not_started', error: { code: 'a', message: 'b' } }),
        true,
      );
    }
    const [request, payload] = [requests[0], payloads[0]] as [RunnerRequest, RunnerPayload];
    assert.equal(checkResponse(request, { dispatch_state: 'outcome_unknown', payload }), false);
  });
});

describe('dispatch_state and certainty', () => {
  it('are one thing in two words, both ways', () => {
    const value: RunnerPayload = { kind: 'tools_call', result: { content: [] } };
    assert.deepEqual(responseOf({ certainty: 'completed', value }), {
      dispatch_state: 'completed',
      payload: value,
    });
    assert.deepEqual(outcomeOf({ dispatch_state: 'completed', payload: value }), {
      certainty: 'completed',
      value,
    });
    for (const certainty of ['not_started', 'completed', 'outcome_unknown'] as const) {
      const fault = { code: 'plugin_timeout', message: 'Too late.' };
      assert.deepEqual(responseOf({ certainty, fault }), { dispatch_state: certainty, error: fault });
      assert.deepEqual(outcomeOf({ dispatch_state: certainty, error: fault }), { certainty, fault });
    }
  });

  it('leave the detail of a fault behind', () => {
    const fault = { code: 'a', message: 'b', detail: { path: '/home/me' } };
    assert.deepEqual(responseOf({ certainty: 'not_started', fault }), {
      dispatch_state: 'not_started',
      error: { code: 'a', message: 'b' },
    });
  });

  it('make every message one that the link takes', () => {
    const rows: readonly (readonly [string, string])[] = [
      ['', 'plugin_eof'],
      [' \n ', 'plugin_eof'],
      ['two\nlines \u001b[0m', 'two lines  [0m'],
      ['x'.repeat(512), 'x'.repeat(512)],
      ['x'.repeat(513), `${'x'.repeat(509)}…`],
      ['€'.repeat(171), `${'€'.repeat(169)}…`],
      [`x${'€'.repeat(171)}`, `x${'€'.repeat(169)}…`],
      ['broken \ud800', 'broken \ufffd'],
    ];
    for (const [message, wanted] of rows) {
      const response = responseOf({ certainty: 'not_started', fault: { code: 'plugin_eof', message } });
      assert.equal('error' in response && response.error.message, wanted);
      assert.deepEqual(readRunnerResponse(response as unknown as Json), response);
    }
  });
});
