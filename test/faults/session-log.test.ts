import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import type { CallRow } from './journal-view.ts';
import { judgeSession, type SessionFacts, type SlotView } from './session-log.ts';

const RAN = [{ name: 'a', answer: 'yes' }];
const CALL: JsonObject = {
  ...{ type: 'tool_call', call: 'call_1', turn: 'trn_1', tool: 'ledger__work' },
  target: 'plugin:desk/ledger/work#x',
};
const RESULT: JsonObject = {
  ...{ type: 'tool_result', call: 'call_1', turn: 'trn_1', certainty: 'completed', text: 'yes' },
};
const ACK: JsonObject = { type: 'ack', turn: 'trn_1' };
const END: JsonObject = { type: 'turn_end', turn: 'trn_1', status: 'completed' };
const ROW: CallRow = {
  ...{ id: 'call_1', action: 'call', seq: 1, runner_instance: 'rin_1', arguments_digest: 'd' },
  ...{ certainty: 'completed', code: null, settled_certainty: null, settled_code: null },
};
const TRUE: SessionFacts = {
  ...{ call: 0, entries: [ACK, CALL, RESULT, END], rows: [ROW], executions: RAN },
  told: { call: 'call_1', certainty: 'completed' },
  routine: null,
};
const UNKNOWN: JsonObject = {
  ...{ type: 'tool_result', call: 'call_1', turn: 'trn_1', certainty: 'outcome_unknown', code: 'x' },
};
const UNKNOWN_ROW: CallRow = { ...ROW, certainty: 'outcome_unknown', code: 'x' };
const SETTLED: JsonObject = { type: 'tool_settled', call: 'call_1', certainty: 'completed' };
const SLOT: SlotView = { state: 'fired', outcome: 'completed', code: null, session: 'ses_1' };
const DIRECTIVE: JsonObject = { type: 'directive' };

const found = (facts: Partial<SessionFacts>) => judgeSession({ ...TRUE, ...facts }).map(({ kind }) => kind);
const routine = (slots: readonly SlotView[], facts: Partial<SessionFacts> = {}) =>
  found({ ...facts, routine: { slots, isAcknowledged: true } });

test('a session that says what the journal and the ledger say is no fault', () => {
  assert.deepEqual(found({}), []);
  assert.deepEqual(found({ entries: [], rows: [], told: null, executions: [] }), []);
  const settled = { ...UNKNOWN_ROW, settled_certainty: 'completed' } as const;
  const entries = [ACK, CALL, UNKNOWN, END, SETTLED];
  assert.deepEqual(found({ entries, rows: [settled], told: null }), []);
  for (const executions of [RAN, []])
    assert.deepEqual(
      found({ entries: [ACK, CALL, UNKNOWN, END], rows: [UNKNOWN_ROW], told: null, executions }),
      [],
    );
});

test('what a session says of a call must be true of it', () => {
  assert.deepEqual(found({ executions: [] }), ['false completed']);
  assert.deepEqual(found({ executions: [{ name: 'a', answer: 'no' }] }), ['false completed']);
  const never = { ...RESULT, certainty: 'not_started', code: 'x' };
  const row = { ...ROW, certainty: 'not_started', code: 'x' } as const;
  assert.deepEqual(found({ entries: [ACK, CALL, never, END], rows: [row], told: null }), [
    'false not_started',
  ]);
  const settled = { ...UNKNOWN_ROW, settled_certainty: 'not_started' } as const;
  const entries = [ACK, CALL, UNKNOWN, END, { ...SETTLED, certainty: 'not_started' }];
  assert.deepEqual(found({ entries, rows: [settled], told: null }), ['false not_started']);
});

test('a session and the journal never disagree', () => {
  assert.deepEqual(found({ rows: [UNKNOWN_ROW] }), ['contradiction', 'contradiction']);
  assert.deepEqual(found({ rows: [{ ...ROW, code: 'x' }] }), ['contradiction']);
  assert.deepEqual(found({ entries: [ACK, CALL, RESULT, RESULT, END] }), ['contradiction']);
  assert.deepEqual(found({ entries: [ACK, CALL, RESULT, END, SETTLED] }), ['contradiction']);
  const settled = { ...UNKNOWN_ROW, settled_certainty: 'completed' } as const;
  assert.deepEqual(found({ entries: [ACK, CALL, UNKNOWN, END], rows: [settled], told: null }), [
    'contradiction',
  ]);
});

test('what somebody was told, and what the journal has, stands in the session', () => {
  assert.deepEqual(found({ entries: null }), ['lost record']);
  assert.deepEqual(found({ rows: [] }), ['lost record']);
  assert.deepEqual(found({ entries: [ACK, END] }), ['lost record', 'lost record']);
  assert.deepEqual(found({ entries: [ACK, CALL, END] }), ['lost record', 'lost record']);
  assert.deepEqual(found({ told: { call: 'call_1', certainty: 'outcome_unknown' } }), ['lost record']);
  assert.deepEqual(found({ entries: [ACK, CALL, RESULT] }), ['lost record']);
});

test('a turn ends once, behind the ends of its calls, and calls once', () => {
  const late = [ACK, CALL, END, RESULT];
  assert.deepEqual(found({ entries: late }), ['contradiction']);
  assert.deepEqual(found({ entries: [ACK, CALL, RESULT, END, END] }), ['lost record']);
  const again = { ...CALL, call: 'call_2' };
  const rows = [ROW, { ...ROW, id: 'call_2' }];
  const entries = [ACK, CALL, RESULT, again, { ...RESULT, call: 'call_2' }, END];
  assert.deepEqual(found({ entries, rows }), ['double execution']);
});

test('a moment of a schedule fires once, or is shown as what nobody knows', () => {
  const entries = [DIRECTIVE, ACK, CALL, RESULT, END];
  assert.deepEqual(routine([SLOT], { entries }), []);
  const unknown: SlotView = { ...SLOT, state: 'unknown', outcome: null };
  assert.deepEqual(routine([unknown], { entries }), []);
  assert.deepEqual(routine([SLOT, SLOT], { entries }), ['double execution']);
  assert.deepEqual(routine([SLOT], { entries: [DIRECTIVE, ...entries] }), ['double execution']);
  for (const state of ['claimed', 'running'])
    assert.deepEqual(routine([{ ...SLOT, state }], { entries }), ['lost record']);
  for (const state of ['missed', 'skipped'])
    assert.deepEqual(routine([{ ...SLOT, state }], { entries }), ['false not_started']);
});

test('a slot that fired has a turn that ended so', () => {
  const cutShort = [DIRECTIVE, ACK, CALL, UNKNOWN, { ...END, status: 'interrupted' }];
  const facts = { entries: cutShort, rows: [UNKNOWN_ROW], told: null };
  assert.deepEqual(routine([SLOT], facts), ['false completed', 'false completed']);
  assert.deepEqual(routine([{ ...SLOT, state: 'unknown', outcome: null }], facts), []);
});

test('what was planned and acknowledged fires, or stands planned', () => {
  const nothing = { entries: [], rows: [], told: null, executions: [] };
  assert.deepEqual(routine([], nothing), ['lost record']);
  assert.deepEqual(found({ ...nothing, routine: { slots: [], isAcknowledged: false } }), []);
  assert.deepEqual(found({ ...nothing, executions: RAN, routine: { slots: [], isAcknowledged: false } }), [
    'lost record',
  ]);
});

test('the answer of a call stands in its session as the plugin gave it, in a settlement and as a failure, too', () => {
  const rows = [{ ...UNKNOWN_ROW, settled_certainty: 'completed' } as const];
  const settled = (text: string) => [ACK, CALL, UNKNOWN, END, { ...SETTLED, text }];
  assert.deepEqual(found({ entries: settled('yes'), rows, told: null }), []);
  assert.deepEqual(found({ entries: settled('no'), rows, told: null }), ['false completed']);
  for (const code of ['tool_error', 'plugin_tool_error']) {
    const ended = (text: string) => [ACK, CALL, { ...RESULT, code, text }, END];
    assert.deepEqual(found({ entries: ended('yes'), rows: [{ ...ROW, code }] }), []);
    assert.deepEqual(found({ entries: ended('no'), rows: [{ ...ROW, code }] }), ['false completed']);
  }
});
