import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed, failed } from '@fairlead/base';
import type { RunnerRequest } from '@fairlead/protocol';
import { codeFitsCertainty } from '../src/runner-answers/code-and-certainty.ts';
import { judgeAnswer } from '../src/runner-answers/runner-answer.ts';

const call: RunnerRequest = {
  kind: 'tools_call',
  provider: 'p',
  provider_instance: 'i',
  tool: 't',
  observation: 'o',
  arguments: {},
};

test('a code says by itself whether the call can have run', () => {
  assert.equal(codeFitsCertainty('plugin_rpc_error', 'completed'), true);
  assert.equal(codeFitsCertainty('plugin_rpc_error', 'not_started'), false);
  assert.equal(codeFitsCertainty('plugin_provider_busy', 'not_started'), true);
  assert.equal(codeFitsCertainty('plugin_provider_busy', 'outcome_unknown'), false);
  assert.equal(codeFitsCertainty('plugin_timeout', 'not_started'), true);
  assert.equal(codeFitsCertainty('plugin_timeout', 'outcome_unknown'), true);
  assert.equal(codeFitsCertainty('plugin_timeout', 'completed'), false);
});

test('an answer that contradicts itself leaves the call’s outcome unknown', () => {
  for (const [code, certainty] of [
    ['plugin_timeout', 'completed'],
    ['plugin_rpc_error', 'not_started'],
    ['plugin_provider_busy', 'outcome_unknown'],
    // What an older Runner says of a request that came twice: the call itself runs.
    ['plugin_call_repeated', 'not_started'],
  ] as const) {
    assert.deepEqual(judgeAnswer(call, failed(certainty, code, 'x')), {
      ok: false,
      certainty: 'outcome_unknown',
      code: 'invalid_plugin_response',
    });
  }
});

test('an answer that fits is passed on', () => {
  assert.deepEqual(judgeAnswer(call, failed('not_started', 'plugin_provider_busy', 'x')), {
    ok: false,
    certainty: 'not_started',
    code: 'plugin_provider_busy',
  });
  const result = { content: [], isError: false };
  const judged = judgeAnswer(call, completed({ kind: 'tools_call', result }));
  assert.equal(judged.ok, true);
});
