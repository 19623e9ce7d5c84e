// native-plugin-protocol §5
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { type AdmittedTool, admitCatalog, checkCallResult, isCallResult } from '../src/index.ts';

function tool(outputSchema?: JsonObject): AdmittedTool {
  const definition = {
    name: 'sum',
    inputSchema: { type: 'object' },
    ...(outputSchema ? { outputSchema } : {}),
  };
  const admission = admitCatalog({ tools: [definition] });
  assert.ok(admission.ok);
  return admission.catalog.tools.get('sum') as AdmittedTool;
}

const FREE = tool();
const SUM = tool({ type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] });

/** The size of the line is what a Runner has at hand; the value itself stands for it here. */
function check(result: Json, admitted = FREE) {
  return checkCallResult(result, admitted, Buffer.byteLength(JSON.stringify(result)) + 40);
}

function text(value: string): JsonObject {
  return { type: 'text', text: value };
}

function nested(levels: number): JsonObject {
  let value: Json = 1;
  for (let level = 1; level < levels; level += 1) value = [value];
  return { deep: value };
}

describe('the form of a result', () => {
  const accepted: readonly (readonly [string, Json])[] = [
    [
      'text, structured content and isError',
      { content: [text('7')], structuredContent: { sum: 7 }, isError: false },
    ],
    ['content alone, empty', { content: [] }],
    ['an error that the tool reports', { content: [text('no such file')], isError: true }],
    ['an empty text', { content: [text('')] }],
    ['TAB, LF and CR in a text', { content: [text('a\tb\r\nc')] }],
    ['32 items', { content: Array(32).fill(text('x')) }],
    ['empty structured content', { content: [], structuredContent: {} }],
    ['control characters in structured content', { content: [], structuredContent: { raw: '\u001b[0m' } }],
  ];
  for (const [what, result] of accepted) {
    it(`accepts ${what}, unchanged`, () => {
      const checked = check(result);
      assert.ok(checked.ok);
      assert.equal(checked.result, result);
    });
  }

  const refused: readonly (readonly [string, Json])[] = [
    ['null', null],
    ['a text', 'done'],
    ['an array', [text('x')]],
    ['no content', { structuredContent: {} }],
    ['content that is no array', { content: text('x') }],
    ['an unknown member', { content: [], _meta: {} }],
    ['an image', { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }],
    ['a resource', { content: [{ type: 'resource', resource: { uri: 'file:///x' } }] }],
    ['an item without text', { content: [{ type: 'text' }] }],
    ['an item whose text is no string', { content: [{ type: 'text', text: 7 }] }],
    ['an item with an unknown member', { content: [{ type: 'text', text: 'x', annotations: {} }] }],
    ['an item that is no object', { content: ['x'] }],
    ['an ANSI escape in a text', { content: [text('\u001b[31mred\u001b[0m')] }],
    ['a C1 control in a text', { content: [text('\u009b31m')] }],
    ['a NUL in a text', { content: [text('a\u0000b')] }],
    ['33 items', { content: Array(33).fill(text('x')) }],
    ['structured content that is null', { content: [], structuredContent: null }],
    ['structured content that is an array', { content: [], structuredContent: [] }],
    ['structured content that is a text', { content: [], structuredContent: 'x' }],
    ['isError that is null', { content: [], isError: null }],
    ['isError that is a text', { content: [], isError: 'false' }],
  ];
  for (const [what, result] of refused) {
    it(`plugin_result_invalid: ${what}`, () => {
      assert.deepEqual(check(result), { ok: false, code: 'plugin_result_invalid' });
      assert.equal(isCallResult(result), false);
    });
  }
});

describe('the bounds of a result', () => {
  // {"content":[{"type":"text","text":""}]} takes 39 bytes.
  it('takes 512 KiB serialized and refuses one byte more', () => {
    assert.equal(check({ content: [text('x'.repeat(524_288 - 39))] }).ok, true);
    assert.equal(check({ content: [text('x'.repeat(524_288 - 38))] }).ok, false);
  });

  it('counts escapes: a text of line feeds takes twice its size', () => {
    assert.equal(check({ content: [text('\n'.repeat(262_100))] }).ok, true);
    assert.equal(check({ content: [text('\n'.repeat(262_144))] }).ok, false);
  });

  it('counts all texts together', () => {
    assert.equal(check({ content: [text('x'.repeat(300_000)), text('y'.repeat(200_000))] }).ok, true);
    assert.equal(check({ content: [text('x'.repeat(300_000)), text('y'.repeat(300_000))] }).ok, false);
  });

  it('counts structured content', () => {
    assert.equal(check({ content: [], structuredContent: { x: 'x'.repeat(524_000) } }).ok, true);
    assert.equal(check({ content: [], structuredContent: { x: 'x'.repeat(524_288) } }).ok, false);
  });

  it('takes 16 levels and refuses 17, the result being 0', () => {
    assert.equal(check({ content: [], structuredContent: nested(15) }).ok, true);
    assert.equal(check({ content: [], structuredContent: nested(16) }).ok, false);
  });

  it('takes 4,096 values and refuses one more', () => {
    // The result, content, structuredContent and the list itself are four of them.
    assert.equal(check({ content: [], structuredContent: { many: Array(4092).fill(0) } }).ok, true);
    assert.equal(check({ content: [], structuredContent: { many: Array(4093).fill(0) } }).ok, false);
  });

  it('takes a member name of 1,024 bytes and refuses a longer one, or one with a control character', () => {
    assert.equal(check({ content: [], structuredContent: { ['k'.repeat(1024)]: 1 } }).ok, true);
    assert.equal(check({ content: [], structuredContent: { ['k'.repeat(1025)]: 1 } }).ok, false);
    assert.equal(check({ content: [], structuredContent: { '\u001b': 1 } }).ok, false);
  });
});

describe('the output schema', () => {
  it('binds the structured content', () => {
    assert.equal(check({ content: [], structuredContent: { sum: 7 } }, SUM).ok, true);
    for (const result of [
      { content: [] },
      { content: [], structuredContent: {} },
      { content: [], structuredContent: { sum: '7' } },
      { content: [text('failed')], isError: true },
      { content: [text('failed')], structuredContent: { error: 'x' }, isError: true },
    ]) {
      assert.deepEqual(check(result, SUM), { ok: false, code: 'plugin_output_schema_violation' });
    }
  });

  it('is asked only about a result of good form', () => {
    assert.deepEqual(check({ content: [], structuredContent: { sum: '7' }, extra: 1 }, SUM), {
      ok: false,
      code: 'plugin_result_invalid',
    });
  });

  it('leaves structured content free where there is none', () => {
    assert.equal(check({ content: [], structuredContent: { anything: [1] } }).ok, true);
  });
});
