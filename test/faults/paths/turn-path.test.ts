import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { certaintyOf } from '../told.ts';
import { toldByRun } from './turn-path.ts';

const report = (calls: readonly JsonObject[], code: string | null = null) =>
  ({ kind: 'output', output: { status: 'completed', code, calls } }) as const;
const described = { call: 'call_1', tool: 'plugin_tool', certainty: 'completed', code: null };
const called = { call: 'call_2', tool: 'plugin_tool', certainty: 'outcome_unknown', code: 'x' };

test('the report of a turn says what became of its call, behind the description where it asked for one', () => {
  const told = toldByRun(report([described, called]), 'binding');
  assert.ok(told.kind === 'answered');
  assert.deepEqual([told.call, told.certainty, told.code], ['call_2', 'outcome_unknown', 'x']);
  const pinned = toldByRun(report([called]), 'pin');
  assert.equal(pinned.kind === 'answered' && pinned.call, 'call_2');
});

test('a turn that never came to its call has not made it', () => {
  const told = toldByRun(report([described], 'script_mismatch'), 'binding');
  assert.deepEqual(told.kind === 'answered' && [told.call, told.certainty], [null, 'not_started']);
  const refused = toldByRun({ kind: 'refused', code: 'host_paused', certainty: 'not_started' }, 'pin');
  assert.equal(certaintyOf(refused), 'not_started');
});

test('a message that may wait is not told as one that was never taken', () => {
  const refused = { kind: 'refused', code: 'store_full', certainty: 'outcome_unknown' } as const;
  assert.equal(certaintyOf(toldByRun(refused, 'pin')), 'outcome_unknown');
  assert.equal(certaintyOf(toldByRun({ kind: 'lost', reason: 'x' }, 'pin')), 'outcome_unknown');
  assert.equal(certaintyOf(toldByRun({ kind: 'unsent', reason: 'x' }, 'pin')), 'not_started');
});

test('an end without a certainty is no end', () => {
  const told = toldByRun(report([{ ...called, certainty: 'perhaps' }]), 'pin');
  assert.equal(told.kind, 'unreadable');
});
