import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRound } from './plan.ts';
import { isStruck, strikesOnCalls, strikesOnLink } from './strike.ts';

test('a rule for which no frame came did not fall', () => {
  const plan = planRound(136, 'cut-link');
  const [rule] = plan.rules;
  assert.ok(rule !== undefined && rule.frame === 'request');
  assert.deepEqual(strikesOnLink(plan, []), [{ what: 'frame request', fell: true }]);
  assert.deepEqual(strikesOnLink(plan, [{ ...rule, name: 'x' }]), [{ what: 'frame request', fell: false }]);
});

test('a plugin that was to be silent and was answered for was not, and one that was to flood must have had the call', () => {
  const call = { path: 'http', tool: 'brief' } as const;
  const plan = {
    ...planRound(1, 'none'),
    calls: [call, { ...call, silent: 'after' }, { ...call, flood: 1 }],
  } as const;
  const came = (certainty: 'completed' | 'outcome_unknown', executions: number) => [
    { certainty, executions },
    { certainty, executions },
    { certainty, executions },
  ];
  assert.deepEqual(strikesOnCalls(plan, came('outcome_unknown', 0)), [
    { what: 'silence', fell: true },
    { what: 'flood', fell: false },
  ]);
  assert.deepEqual(strikesOnCalls(plan, came('completed', 1)), [
    { what: 'silence', fell: false },
    { what: 'flood', fell: true },
  ]);
});

test('a round is struck where all fell, and there was something to fall', () => {
  const [hit, miss] = [true, false].map((fell) => ({ what: 'kill', fell })) as [
    { what: string; fell: boolean },
    { what: string; fell: boolean },
  ];
  assert.deepEqual([isStruck([hit, hit]), isStruck([hit, miss]), isStruck([])], [true, false, false]);
});
