// What other products did: a call ran twice because something took a lost answer for a call that had not begun.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dispatchFloor } from './dispatch-floor.ts';
import { fault } from './fake-runners.ts';

test('a lost answer of a tool that calls itself read-only is no reason to send its call again', async (t) => {
  const floor = await dispatchFloor(t);
  for (const code of ['runner_unavailable', 'plugin_eof', 'plugin_timeout', 'plugin_malformed_json']) {
    const binding = await floor.bind();
    const before = floor.runners.calls().length;
    floor.runners.answers.tools_call = () => fault('outcome_unknown', code);
    const answer = await floor.invoke({ action: 'call', binding, arguments: { text: 'once' } });
    assert.equal(answer.certainty, 'outcome_unknown', code);
    assert.equal(floor.runners.calls().length, before + 1, code);
  }
});

test('the same call twice, with the same arguments, is two calls when the caller says so twice', async (t) => {
  const floor = await dispatchFloor(t);
  const binding = await floor.bind();
  for (const _ of [1, 2]) {
    const answer = await floor.invoke({ action: 'call', binding, arguments: { text: 'hello' } });
    assert.equal(answer.certainty, 'completed');
  }
  assert.equal(floor.runners.calls().length, 2);
});
