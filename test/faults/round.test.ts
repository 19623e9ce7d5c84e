import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Adversary } from './adversary.ts';
import type { CallPlan } from './plan.ts';
import { endOf } from './round.ts';

const CALL: CallPlan = { path: 'http', tool: 'work' };
const MUTE = {
  certainty: 'outcome_unknown',
  settled_certainty: 'outcome_unknown',
  settled_code: 'plugin_timeout',
} as const;

const end = (adversary: Adversary, calls: readonly CallPlan[], settled_code: string = MUTE.settled_code) =>
  endOf({ adversary, calls }, { kind: 'lost', reason: 'x' }, { ...MUTE, settled_code }, true).end;

test('a Runner that says that its plugin gave no answer is believed only where the plan gave the plugin a reason', () => {
  for (const adversary of ['none', 'cut-link', 'delay-link', 'repeat-link', 'kill-gateway'] as const)
    assert.equal(end(adversary, [CALL, CALL]), 'never known', adversary);
  for (const adversary of ['kill-plugin', 'stop-process'] as const)
    assert.equal(end(adversary, [CALL, CALL]), 'beyond its Runner', adversary);
  for (const reason of [{ hold: true }, { silent: 'after' }, { tool: 'brief' }] as const)
    assert.equal(end('cut-link', [CALL, { ...CALL, ...reason }]), 'beyond its Runner');
  assert.equal(end('kill-plugin', [CALL], 'call_forgotten'), 'never known');
});
