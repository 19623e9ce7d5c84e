import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { completed, type Json, type JsonObject } from '@fairlead/base';
import { protocolErrors } from '@fairlead/protocol';
import { repositoryRoot } from '@fairlead/testing';
import { dispatchErrors } from '../src/index.ts';
import { dispatchFloor } from './dispatch-floor.ts';
import { fakeRunner, fault } from './fake-runners.ts';

const pageAt = (name: string) => readFileSync(join(repositoryRoot, 'docs/reference', name), 'utf8');
const page = pageAt('plugin-tool.md');

test('the examples of docs/reference/plugin-tool.md are what plugin_tool takes and answers, in their order', async (t) => {
  const floor = await dispatchFloor(t);
  floor.runners.connected = [{ ...fakeRunner('local'), name: 'This machine' }];
  floor.runners.answers.check = () =>
    completed({
      kind: 'check',
      provider: 'echo',
      ready: false,
      phase: 'validation',
      code: 'plugin_tools_list_invalid',
      diagnostic: { code: 'input_schema_invalid', tool: 'say', field: 'inputSchema' },
      tools: [],
    });
  floor.runners.answers.reload = () =>
    completed({
      kind: 'reload',
      providers: [{ id: 'echo', name: 'Echo', status: 'ready', error_code: null }],
      failures: [{ provider_id: 'broken', code: 'plugin_eof' }],
    });
  floor.runners.answers.outcome = ({ request }) => {
    assert.ok(request.kind === 'outcome');
    const payload = { kind: 'tools_call', result: { content: [{ type: 'text', text: 'said' }] } } as const;
    const response = { dispatch_state: 'completed', payload } as const;
    return completed({ kind: 'outcome', call: request.call, state: 'completed', response });
  };
  const printed = 'wc_pbind_0123456789abcdefghijkl';
  const printedCall = 'call_0123456789abcdefghijkl';
  let madeCall: Json = printedCall;
  let binding: Json = printed;
  let calls = 0;
  const answered = floor.runners.answers.tools_call;
  assert.ok(answered);
  const examples = [...page.matchAll(/```json (params|output|error)\n([\s\S]*?)```/g)];
  assert.equal(examples.length, 18);
  let answer: JsonObject = {};
  for (const [, kind, text = ''] of examples) {
    const value = JSON.parse(text) as JsonObject;
    if (kind === 'params') {
      const isCall = value['action'] === 'call';
      if (isCall) calls += 1;
      floor.runners.answers.tools_call =
        calls === 2 ? () => fault('not_started', 'stale_plugin_provider') : answered;
      const isOutcome = value['action'] === 'outcome';
      const given = isOutcome ? { ...value, call: madeCall } : isCall ? { ...value, binding } : value;
      const { call = '', output, error } = await floor.invoke(given);
      if (isCall && calls === 1) madeCall = call;
      answer = { output: output ?? null, error: (error ?? null) as Json };
      continue;
    }
    const { [kind as 'output']: got, ...other } = answer;
    assert.deepEqual(Object.values(other), [null]);
    if (kind === 'output' && value['binding'] === printed) {
      const described = got as JsonObject;
      binding = described['binding'] ?? null;
      assert.deepEqual({ ...described, binding: printed }, value);
    } else if (value['call'] === printedCall) {
      assert.deepEqual({ ...(got as JsonObject), call: printedCall }, value);
    } else {
      assert.deepEqual(got, value);
    }
  }
  assert.equal(calls, 2);
});

test('the pages of the tools have every code of dispatch, and that of plugin_tool no code in its table that no table of errors has', () => {
  const pages = page + pageAt('runtime-tools.md');
  for (const code of Object.keys(dispatchErrors)) assert.ok(pages.includes(`\`${code}\``), code);
  const [, table = ''] = page.split('Decided by the gateway:');
  const rows = [...table.matchAll(/^\| `([a-z_]+)` /gm)].map(([, code = '']) => code);
  assert.ok(rows.length >= 17);
  const known = new Set([
    ...Object.keys(dispatchErrors),
    ...Object.keys(protocolErrors),
    'list',
    'check',
    'call',
  ]);
  assert.deepEqual(
    rows.filter((code) => !known.has(code)),
    [],
  );
});
