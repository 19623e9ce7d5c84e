// native-plugin-protocol §15
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import {
  callStates,
  checkResponse,
  type RunnerPayload,
  type RunnerRequest,
  readRunnerResponse,
} from '../src/index.ts';

const ENDED = {
  kind: 'outcome',
  call: 'call_1',
  state: 'completed',
  response: { dispatch_state: 'completed', payload: { kind: 'tools_call', result: { content: [] } } },
};
const REFUSED = {
  ...ENDED,
  response: { dispatch_state: 'outcome_unknown', error: { code: 'plugin_eof', message: 'Ended.' } },
};

function answer(payload: Json): JsonObject {
  return { dispatch_state: 'completed', payload };
}

describe('what a Runner says about a call', () => {
  it('is one of four states', () => {
    assert.deepEqual(callStates, ['completed', 'running', 'never_seen', 'forgotten']);
  });

  const good: readonly JsonObject[] = [
    ENDED,
    REFUSED,
    { kind: 'outcome', call: 'call_1', state: 'running' },
    { kind: 'outcome', call: 'call_1', state: 'never_seen' },
    { kind: 'outcome', call: 'call_1', state: 'forgotten' },
  ];
  for (const payload of good) {
    it(`takes ${JSON.stringify(payload).slice(0, 110)}`, () => {
      assert.deepEqual(readRunnerResponse(answer(payload)), answer(payload));
    });
  }

  const bad: readonly Json[] = [
    { kind: 'outcome' },
    { kind: 'outcome', call: 'call_1' },
    { kind: 'outcome', call: 'a b', state: 'running' },
    { kind: 'outcome', call: 'call_1', state: 'lost' },
    { kind: 'outcome', call: 'call_1', state: 'completed' },
    { kind: 'outcome', call: 'call_1', state: 'completed', response: null },
    { ...ENDED, state: 'running' },
    { ...ENDED, extra: 1 },
    { ...ENDED, response: { dispatch_state: 'not_started', payload: ENDED.response.payload } },
    { ...ENDED, response: { dispatch_state: 'completed', payload: { kind: 'tools_call' } } },
  ];
  for (const payload of bad) {
    it(`refuses ${JSON.stringify(payload).slice(0, 110)}`, () => {
      assert.equal(readRunnerResponse(answer(payload)), null);
    });
  }

  it('never holds another outcome', () => {
    const inner = answer({ kind: 'outcome', call: 'call_2', state: 'running' });
    assert.equal(readRunnerResponse(answer({ ...ENDED, response: inner })), null);
  });

  it('answers the call that was asked for and no other', () => {
    const request: RunnerRequest = { kind: 'outcome', call: 'call_1' };
    const payload = REFUSED as RunnerPayload;
    assert.equal(checkResponse(request, { dispatch_state: 'completed', payload }), true);
    assert.equal(
      checkResponse({ ...request, call: 'call_2' }, { dispatch_state: 'completed', payload }),
      false,
    );
    assert.equal(checkResponse({ kind: 'reload' }, { dispatch_state: 'completed', payload }), false);
  });
});
