import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toldByCommand } from './paths/cli-path.ts';
import { toldByMessage } from './paths/mcp-http-path.ts';
import { certaintyOf, toldByEnvelope } from './told.ts';

const CONTENT = [{ type: 'text', text: 'yes' }];

test('an envelope says how certain it is, with the answer or the code', () => {
  const done = { success: true, output: { content: CONTENT }, error: null, dispatch_certainty: 'completed' };
  assert.deepEqual(toldByEnvelope({ ...done, call: 'call_1' }), {
    kind: 'answered',
    certainty: 'completed',
    code: null,
    call: 'call_1',
    text: 'yes',
    unsettled: false,
  });
  const failed = { ...done, failure_kind: 'plugin_tool_error' };
  assert.equal(Reflect.get(toldByEnvelope(failed), 'code'), 'plugin_tool_error');
  const error = { code: 'journal_unsettled', message: 'x' };
  assert.equal(Reflect.get(toldByEnvelope({ ...done, error }), 'unsettled'), true);
  assert.deepEqual(toldByEnvelope({ success: false }), {
    kind: 'unreadable',
    reason: 'an answer without a certainty',
  });
});

test('an MCP answer says the same in three forms', () => {
  const result = { content: CONTENT, _meta: { dispatchState: 'completed', call: 'call_1' } };
  assert.deepEqual(
    [certaintyOf(toldByMessage({ id: 1, result })), Reflect.get(toldByMessage({ id: 1, result }), 'text')],
    ['completed', 'yes'],
  );
  const refused = {
    isError: true,
    structuredContent: { error: { code: 'plugin_timeout', message: 'x' }, dispatchState: 'outcome_unknown' },
  };
  assert.equal(Reflect.get(toldByMessage({ id: 1, result: refused }), 'code'), 'plugin_timeout');
  const data = { code: 'invalid_body', dispatchState: 'not_started' };
  assert.equal(certaintyOf(toldByMessage({ error: { code: -32700, message: 'x', data } })), 'not_started');
  const envelope = { success: false, error: { code: 'unauthorized' }, dispatch_certainty: 'not_started' };
  assert.equal(Reflect.get(toldByMessage(envelope), 'code'), 'unauthorized');
  assert.equal(toldByMessage({}).kind, 'unreadable');
});

test('what a client in between says of an answer that it did not get counts as no answer', () => {
  const structuredContent = { error: { code: 'answer_lost' }, dispatchState: 'outcome_unknown' };
  assert.equal(toldByMessage({ result: { structuredContent } }).kind, 'lost');
});

test('the exit status of the command must go with what it printed', () => {
  const answer = (state: string, code = 'x') =>
    JSON.stringify({ error: { code, message: 'x' }, dispatchState: state, call: 'call_1' });
  const told = (exit: number | null, stdout: string, stderr = '') => toldByCommand(exit, { stdout, stderr });
  assert.equal(certaintyOf(told(0, JSON.stringify({ content: CONTENT }))), 'completed');
  assert.equal(
    Reflect.get(told(1, JSON.stringify({ isError: true, content: [] })), 'code'),
    'plugin_tool_error',
  );
  assert.equal(certaintyOf(told(3, answer('outcome_unknown'))), 'outcome_unknown');
  assert.equal(certaintyOf(told(1, answer('not_started'))), 'not_started');
  assert.equal(told(1, answer('outcome_unknown')).kind, 'unreadable');
  for (const state of ['', 'perhaps']) assert.equal(told(1, answer(state)).kind, 'unreadable', state);
  assert.equal(told(1, JSON.stringify({ error: { code: 'x', message: 'x' } })).kind, 'unreadable');
  assert.equal(told(0, JSON.stringify({ isError: true, content: [] })).kind, 'unreadable');
  assert.equal(told(3, answer('outcome_unknown', 'answer_lost')).kind, 'lost');
  assert.deepEqual(told(1, '', 'fairlead: Nobody answers. (server_unreachable)\n'), {
    kind: 'unsent',
    reason: 'server_unreachable',
  });
  assert.equal(told(null, '').kind, 'lost');
});
