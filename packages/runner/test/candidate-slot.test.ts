import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed, type Outcome } from '@fairlead/base';
import type { RunnerPayload } from '@fairlead/protocol';
import { CandidateSlot } from '../src/providers/candidate-slot.ts';

const DONE: Outcome<RunnerPayload> = completed({ kind: 'reload', providers: [], failures: [] });

test('a start that breaks gives the slot back', async () => {
  const slot = new CandidateSlot();
  await assert.rejects(slot.hold(Promise.reject(new Error('planted'))), { message: 'planted' });
  const answers: unknown[] = [];
  slot.run(
    'reload',
    (outcome) => answers.push(outcome),
    () => Promise.resolve(DONE),
  );
  await slot.settled;
  assert.deepEqual(answers, [DONE]);
});

test('while the start holds the slot, operations are refused', async () => {
  const slot = new CandidateSlot();
  const start = Promise.withResolvers<void>();
  const held = slot.hold(start.promise);
  const codes: unknown[] = [];
  slot.run(
    'check',
    (outcome) => codes.push(Reflect.get(Reflect.get(outcome, 'fault') ?? outcome, 'code')),
    () => Promise.resolve(DONE),
  );
  assert.deepEqual(codes, ['plugin_check_busy']);
  start.resolve();
  await held;
});
