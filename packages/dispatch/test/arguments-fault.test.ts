import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed, type Json, type JsonObject } from '@fairlead/base';
import { type DispatchFloor, dispatchFloor, gist } from './dispatch-floor.ts';
import { echoTools, fault, SAY } from './fake-runners.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    text: { type: 'string', maxLength: 3 },
    mode: { type: 'string', enum: ['loud', 'low'] },
    parts: { type: 'array', items: { type: 'integer' } },
  },
  required: ['text'],
  additionalProperties: false,
};

async function refused(floor: DispatchFloor, given: JsonObject): Promise<Json> {
  floor.runners.answers.tools_list = () => completed(echoTools({}, [{ ...SAY, inputSchema: SCHEMA }]));
  floor.runners.answers.tools_call = () => fault('not_started', 'plugin_arguments_schema_invalid');
  const answer = await floor.invoke({ action: 'call', binding: await floor.bind(), arguments: given });
  assert.deepEqual(gist(answer), ['not_started', 'plugin_arguments_schema_invalid']);
  const { message = '', detail = null } = answer.error ?? {};
  return [message, detail];
}

const PLAIN = 'The arguments do not satisfy the tool’s input schema; nothing was sent.';

test('arguments that the Runner refused: the answer says which and what it must be, and repeats nothing of them', async (t) => {
  const floor = await dispatchFloor(t);
  const cases: readonly (readonly [JsonObject, string, string])[] = [
    [{}, '/text', 'present'],
    [{ text: 7 }, '/text', 'a string'],
    [{ text: 'MARKER' }, '/text', 'a string of at most 3 characters'],
    [{ text: 'a', mode: 'MARKER' }, '/mode', 'one of the values that its schema lists'],
    [{ text: 'a', parts: [1, 'MARKER'] }, '/parts/1', 'an integer'],
  ];
  for (const [given, path, expected] of cases)
    assert.deepEqual(await refused(floor, given), [
      `The argument ${path} must be ${expected}; nothing was sent.`,
      { path, expected },
    ]);
  const expected = 'an object with no members but those that its schema declares';
  assert.deepEqual(await refused(floor, { text: 'a', MARKER: 1 }), [
    `The arguments must be ${expected}; nothing was sent.`,
    { path: '', expected },
  ]);
});

test('where the schema allows them, or is not known any more, the code speaks for itself', async (t) => {
  const floor = await dispatchFloor(t);
  assert.deepEqual(await refused(floor, { text: 'a' }), [PLAIN, null]);
  await floor.store.write([{ sql: 'DELETE FROM bindings' }]);
  floor.runners.answers.tools_list = () => completed(echoTools({}, [SAY]));
  const binding = await floor.bind();
  for (const kept of [
    'DELETE FROM bindings',
    'UPDATE bindings SET input_schema = \'{"type":"x"}\'',
    'DROP TABLE bindings',
  ]) {
    await floor.store.write([{ sql: kept }]);
    const { error } = await floor.invoke({ action: 'call', binding, arguments: { text: 7 } });
    assert.deepEqual([error?.message, error?.detail], [PLAIN, undefined]);
  }
});

test('a Runner that says so after it may have begun contradicts itself, and is not believed', async (t) => {
  const floor = await dispatchFloor(t);
  floor.runners.answers.tools_call = () => fault('outcome_unknown', 'plugin_arguments_schema_invalid');
  const { certainty, error } = await floor.invoke({
    action: 'call',
    binding: await floor.bind(),
    arguments: { text: 7 },
  });
  assert.deepEqual(
    [certainty, error?.code, error?.detail],
    ['outcome_unknown', 'invalid_plugin_response', undefined],
  );
});
