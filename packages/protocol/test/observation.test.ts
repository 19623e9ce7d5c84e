// native-plugin-protocol §14
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import fc from 'fast-check';
import { admitCatalog, toolObservation } from '../src/index.ts';

describe('the observation of a tool', () => {
  it('is SHA-256 over its domain, a line feed and the canonical definition', () => {
    const definition = { inputSchema: { type: 'object', properties: {} }, name: 'echo' };
    const text =
      'fairlead tool observation v1\n{"inputSchema":{"properties":{},"type":"object"},"name":"echo"}';
    assert.equal(toolObservation(definition), createHash('sha256').update(text).digest('base64url'));
    assert.equal(toolObservation(definition), 'OAnjnbqnGNY_xu-Eh7jPcwtb0MUK0MmnD2CbTjWeXhA');
  });

  it('is what admission keeps for a tool', () => {
    const definition = { name: 'echo', inputSchema: { type: 'object' } };
    const admission = admitCatalog({ tools: [definition] });
    assert.equal(
      admission.ok && admission.catalog.tools.get('echo')?.observation,
      toolObservation(definition),
    );
  });

  it('moves with every member, also with one that is merely present', () => {
    const base = { name: 'echo', inputSchema: { type: 'object' } };
    const digests = [
      base,
      { ...base, name: 'Echo' },
      { ...base, title: 'x' },
      { ...base, description: '' },
      { ...base, inputSchema: { type: 'object', properties: {} } },
      { ...base, outputSchema: { type: 'object' } },
      { ...base, annotations: {} },
      { ...base, annotations: { readOnlyHint: true } },
    ].map(toolObservation);
    assert.equal(new Set(digests).size, digests.length);
  });

  it('does not depend on the order of keys, at any depth', () => {
    const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.infiniteStream(fc.nat()), (definition, choices) => {
        assert.equal(
          toolObservation(reordered(definition, choices) as JsonObject),
          toolObservation(definition),
        );
      }),
    );
  });
});

function reordered(value: Json, choices: Iterator<number>): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => reordered(item, choices));
  const left = Object.entries(value as JsonObject);
  const members: [string, Json][] = [];
  while (left.length > 0) {
    const [[key, member]] = left.splice((choices.next().value as number) % left.length, 1) as [
      [string, Json],
    ];
    members.push([key, reordered(member, choices)]);
  }
  return Object.fromEntries(members);
}
