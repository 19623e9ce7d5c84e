// The kit says more than a Runner and must never say otherwise: where the protocol package refuses, it names a clause, and
// where that accepts, none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@fairlead/base';
import { admitCatalog, checkCallResult, readResponse } from '@fairlead/protocol';
import fc from 'fast-check';
import { catalogFaults } from '../src/checks/catalog-faults.ts';
import { resultFaults } from '../src/checks/result-faults.ts';
import { readAnswer } from '../src/plugin/line-faults.ts';

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const seldom = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<T | Json> =>
  fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: json });

const response = fc
  .record(
    {
      jsonrpc: seldom(fc.constant('2.0')),
      id: seldom(fc.constant(7)),
      result: json,
      error: seldom(fc.record({ code: seldom(fc.integer()), message: seldom(fc.string()) })),
      method: json,
    },
    { requiredKeys: [] },
  )
  .map((value) => Buffer.from(JSON.stringify(value)));
const damaged = fc.tuple(response, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([line, at, byte]) => {
  const bytes = Buffer.from(line);
  bytes[at % bytes.length] = byte;
  return bytes;
});

test('a line breaks a clause exactly where a Runner refuses it', () => {
  fc.assert(
    fc.property(fc.oneof(response, damaged, fc.uint8Array()), (line) => {
      const read = readAnswer(line, 7);
      const runner = readResponse(line, 7);
      assert.equal(read.kind, runner.kind === 'rpc_error' ? 'error' : runner.kind);
    }),
    { numRuns: 2_000 },
  );
});

const schema = fc.oneof(
  fc.constant<Json>({ type: 'object' }),
  fc.constantFrom<Json>(
    { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } },
    { type: 'object', required: ['a'], additionalProperties: false },
    { type: 'array', items: { type: 'string' } },
  ),
  json,
);
const tool = fc.record(
  {
    name: seldom(fc.constantFrom<Json>('echo', 'add', 'two words', '')),
    title: seldom(fc.constant<Json>('Title')),
    description: seldom(fc.constant<Json>('')),
    inputSchema: schema,
    outputSchema: schema,
    annotations: seldom(fc.constant<Json>({ readOnlyHint: true })),
    extra: json,
  },
  { requiredKeys: ['name', 'inputSchema'] },
);

test('a catalog breaks a clause exactly where a Runner refuses it', () => {
  fc.assert(
    fc.property(seldom(fc.record({ tools: seldom(fc.array(seldom(tool), { maxLength: 4 })) })), (result) => {
      assert.equal(catalogFaults(result as Json).length === 0, admitCatalog(result as Json).ok);
    }),
    { numRuns: 1_000 },
  );
});

const result = fc.record(
  {
    content: seldom(
      fc.array(
        seldom(
          fc.record({
            type: seldom(fc.constant<Json>('text')),
            text: seldom(fc.string()),
          }) as fc.Arbitrary<Json>,
        ),
        { maxLength: 34 },
      ),
    ),
    structuredContent: seldom(fc.constantFrom<Json>({ sum: 3 }, { sum: 'x' }, {})),
    isError: seldom(fc.boolean()),
    extra: json,
  },
  { requiredKeys: ['content'] },
);

function admitted(withOutput: boolean) {
  const inputSchema = { type: 'object' };
  const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
  const admission = admitCatalog({
    tools: [{ name: 'echo', inputSchema, ...(withOutput ? { outputSchema } : {}) }],
  });
  const found = admission.ok ? admission.catalog.tools.get('echo') : undefined;
  assert.ok(found !== undefined);
  return found;
}

test('a result breaks a clause exactly where a Runner refuses it', () => {
  const tools = [admitted(false), admitted(true)];
  fc.assert(
    fc.property(seldom(result), fc.boolean(), (value, hasOutput) => {
      const called = tools[hasOutput ? 1 : 0];
      assert.ok(called !== undefined);
      const bytes = Buffer.byteLength(JSON.stringify(value));
      const faults = resultFaults(value as Json, called, bytes);
      assert.equal(faults.length === 0, checkCallResult(value as Json, called, bytes).ok);
    }),
    { numRuns: 1_000 },
  );
});
