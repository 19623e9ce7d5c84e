import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRow } from './journal-view.ts';
import { type CallFacts, judgeCall, judgeQuiet } from './judge.ts';
import type { Told } from './told.ts';

const RAN = [{ name: 'a', answer: 'yes' }];
const ROW: CallRow = {
  id: 'call_1',
  action: 'call',
  seq: 1,
  runner_instance: 'rin_1',
  arguments_digest: 'd',
  certainty: 'completed',
  code: null,
  settled_certainty: null,
  settled_code: null,
};
const TOLD: Told = {
  kind: 'answered',
  certainty: 'completed',
  code: null,
  call: 'call_1',
  text: 'yes',
  unsettled: false,
};
const TRUE: CallFacts = {
  call: 0,
  told: TOLD,
  executions: RAN,
  rows: [ROW],
  asked: { certainty: 'completed', code: null, text: 'yes' },
  mayBeLost: false,
  tellsId: true,
  mayBeLate: false,
};
const UNKNOWN_ROW: CallRow = { ...ROW, certainty: 'outcome_unknown', code: 'runner_unavailable' };
const LOST: Told = { kind: 'lost', reason: 'ECONNRESET' };

const found = (facts: Partial<CallFacts>) => judgeCall({ ...TRUE, ...facts }).map(({ kind }) => kind);

test('what agrees everywhere is no fault', () => {
  assert.deepEqual(found({}), []);
  // Unknown to the caller, and settled since.
  const settled: CallRow = { ...UNKNOWN_ROW, settled_certainty: 'completed' };
  assert.deepEqual(found({ told: LOST, rows: [settled] }), []);
  // Unknown for good, whether it ran or not.
  const asked = { certainty: 'outcome_unknown', code: 'call_forgotten', text: null } as const;
  for (const executions of [RAN, []])
    assert.deepEqual(found({ told: LOST, rows: [UNKNOWN_ROW], asked, executions }), []);
  // Never sent, never seen, never recorded.
  const unsent: Told = { kind: 'unsent', reason: 'ECONNREFUSED' };
  assert.deepEqual(found({ told: unsent, rows: [], executions: [], asked: null }), []);
});

test('a call that was told not_started and ran is a lie, whoever told it', () => {
  const told: Told = { ...TOLD, certainty: 'not_started', code: 'x', text: null };
  const row: CallRow = { ...ROW, certainty: 'not_started', code: 'x' };
  const asked = { certainty: 'not_started', code: 'x', text: null } as const;
  assert.deepEqual(found({ told, rows: [row], asked }), Array(3).fill('false not_started'));
  const settled: CallRow = { ...UNKNOWN_ROW, settled_certainty: 'not_started' };
  assert.deepEqual(found({ told: LOST, rows: [settled], asked: null }), ['false not_started']);
  assert.deepEqual(found({ told: { kind: 'unsent', reason: 'x' }, rows: [], asked: null }), [
    'false not_started',
    'lost record',
  ]);
});

test('a call that was told completed and never ran, or with another answer, is a lie', () => {
  assert.deepEqual(found({ executions: [] }), Array(3).fill('false completed'));
  assert.deepEqual(found({ told: { ...TOLD, text: 'no' } }), ['false completed']);
  assert.deepEqual(found({ told: { ...TOLD, text: null } }), ['false completed']);
  assert.deepEqual(found({ asked: { certainty: 'completed', code: null, text: 'no' } }), ['false completed']);
});

test('a call that ran twice is a lie, whatever was told', () => {
  assert.deepEqual(found({ told: LOST, executions: [...RAN, ...RAN] }), ['double execution']);
});

test('a record that was acknowledged must be there, as it was told', () => {
  assert.deepEqual(found({ rows: [], asked: null }), ['lost record']);
  assert.deepEqual(found({ rows: [{ ...ROW, certainty: null }], asked: null }), ['lost record']);
  assert.deepEqual(found({ rows: [{ ...UNKNOWN_ROW, code: null }], asked: null }), ['lost record']);
  assert.deepEqual(found({ told: LOST, rows: [], asked: null }), ['lost record']);
  assert.deepEqual(found({ rows: [{ ...ROW, code: 'other' }] }), ['contradiction']);
});

test('what the power took before anybody was told is not missed, and what the answer said to be missing neither', () => {
  assert.deepEqual(found({ told: LOST, rows: [], asked: null, mayBeLost: true }), []);
  const unsettled: Told = { ...TOLD, code: 'journal_unsettled', unsettled: true };
  const row: CallRow = { ...UNKNOWN_ROW, code: 'invocation_interrupted' };
  assert.deepEqual(found({ told: unsettled, rows: [row], asked: null }), []);
});

test('an answer that says nothing, two rows, a settlement of what was known and a contradicting outcome are faults', () => {
  const unreadable: Told = { kind: 'unreadable', reason: 'x' };
  assert.deepEqual(found({ told: unreadable }), ['contradiction']);
  assert.deepEqual(found({ rows: [ROW, ROW] }), ['contradiction']);
  assert.deepEqual(found({ rows: [{ ...ROW, settled_certainty: 'completed' }] }), ['contradiction']);
  const asked = { certainty: 'outcome_unknown', code: null, text: null } as const;
  assert.deepEqual(found({ asked }), ['contradiction']);
});

test('an answer that does not come within every budget is a fault, and a connection that breaks is none', () => {
  const unknown: CallRow = { ...UNKNOWN_ROW, settled_certainty: 'completed' };
  const late: Told = { kind: 'late', reason: 'no answer in 20000 ms' };
  assert.deepEqual(found({ told: late, rows: [unknown] }), ['no answer']);
  assert.deepEqual(found({ told: late, rows: [unknown], mayBeLate: true }), []);
  assert.deepEqual(found({ told: LOST, rows: [unknown] }), []);
});

test('an answer tells the id that the journal has for its call', () => {
  assert.deepEqual(found({ told: { ...TOLD, call: 'call_2' } }), ['lost record']);
  assert.deepEqual(found({ told: { ...TOLD, call: null } }), ['contradiction']);
  assert.deepEqual(found({ told: { ...TOLD, call: null }, tellsId: false }), []);
  const refused: Told = { ...TOLD, certainty: 'not_started', code: 'x', text: null, call: null };
  const row: CallRow = { ...ROW, certainty: 'not_started', code: 'x' };
  assert.deepEqual(found({ told: refused, rows: [row], executions: [], asked: null }), []);
});

test('a call that is told as completed has its answer, whatever its code', () => {
  for (const code of [null, 'plugin_tool_error', 'tool_error', 'plugin_eof'])
    assert.deepEqual(found({ told: { ...TOLD, code, text: null }, rows: [{ ...ROW, code }] }), [
      'false completed',
    ]);
  assert.deepEqual(found({ told: { ...TOLD, text: null, isBare: true } }), []);
});

test('what nobody attacks is answered with what the plugin said, and runs', () => {
  const quiet = (told: Told, executions = RAN, fails = false) =>
    judgeQuiet({ call: 0, told, executions }, fails ? { fails } : {}).map(
      ({ kind, text }) => `${kind}: ${text}`,
    );
  assert.deepEqual(quiet(TOLD), []);
  for (const code of ['plugin_tool_error', 'tool_error'])
    assert.deepEqual(quiet({ ...TOLD, code }, RAN, true), []);
  const told = (words: string) => `contradiction: nobody attacked, and it was told ${words}`;
  assert.deepEqual(quiet({ ...TOLD, code: 'plugin_tool_error' }), [told('completed, plugin_tool_error')]);
  assert.deepEqual(quiet(TOLD, RAN, true), [told('completed, no code')]);
  assert.deepEqual(quiet({ ...TOLD, certainty: 'outcome_unknown', code: 'x' }), [told('outcome_unknown, x')]);
  const unseen: Told = { ...TOLD, certainty: 'not_started', code: 'tool_not_found', text: null };
  const byWay = (way: 'pin' | 'binding', executions: typeof RAN) =>
    judgeQuiet({ call: 0, told: unseen, executions }, { way }).length;
  assert.deepEqual([byWay('pin', []), byWay('pin', RAN), byWay('binding', [])], [0, 1, 2]);
  assert.deepEqual(quiet({ kind: 'unsent', reason: 'refused' }, []), [
    told('unsent, refused'),
    'contradiction: nobody attacked, and it never ran',
  ]);
});
