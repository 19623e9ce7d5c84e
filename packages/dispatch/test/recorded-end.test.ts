import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { recordedEnd, resultText } from '../src/invocation/recorded-end.ts';

test('of a result that is no text its session has what it was and how large, never the bytes', () => {
  const result: JsonObject = {
    content: [
      { type: 'text', text: 'before' },
      { type: 'image', mimeType: 'image/png', data: 'QUFBQUFB' },
      { type: 'audio', data: 'QUFB' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///b', mimeType: 'a/b', blob: 'QUFB' } },
      { type: 'resource_link', uri: 'file:///c', name: 'c' },
      { type: 'strange' },
      {},
      7,
      null,
    ],
  };
  assert.deepEqual(resultText(result), {
    text: [
      ...['before', '[image/png, 6 bytes]', '[audio, 3 bytes]', 'inside', '[a/b file:///b]'],
      ...['[resource_link file:///c]', '[strange]', '[part]', '', ''],
    ].join('\n'),
  });
});

test('a result that is structured alone is told as its JSON, and stands as it is', () => {
  const structuredContent = { lines: 2 };
  assert.deepEqual(resultText({ content: [], structuredContent }), {
    text: '{"lines":2}',
    structured: { lines: 2 },
  });
  assert.deepEqual(resultText({}), { text: '' });
});

test('an error of the tool is an error there, and its certainty is as it was', () => {
  const output = { content: [{ type: 'text', text: 'no' }], isError: true };
  assert.deepEqual(
    recordedEnd({ certainty: 'completed', output, isProviderResult: true }, 'plugin_tool_error'),
    { certainty: 'completed', code: 'plugin_tool_error', text: 'no', isError: true },
  );
  assert.deepEqual(
    recordedEnd(
      { certainty: 'outcome_unknown', error: { code: 'plugin_eof', message: 'It ended.' } },
      'plugin_eof',
    ),
    { certainty: 'outcome_unknown', code: 'plugin_eof', text: 'plugin_eof: It ended.', isError: true },
  );
  assert.deepEqual(recordedEnd({ certainty: 'completed', output: { a: 1 } }, null), {
    certainty: 'completed',
    code: null,
    text: '{"a":1}',
    structured: { a: 1 },
    isError: false,
  });
});

test('a binding that was described is left out: it is its caller’s', () => {
  const output = { tool: { name: 'say' }, binding: 'wc_pbind_secret' };
  const { text, structured } = recordedEnd({ certainty: 'completed', output }, null);
  assert.equal(text, '{"tool":{"name":"say"},"binding":"[left out]"}');
  assert.deepEqual(structured, { tool: { name: 'say' }, binding: '[left out]' });
});
