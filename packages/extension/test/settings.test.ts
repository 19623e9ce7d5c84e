import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonOf } from '../src/schema/any-schema.ts';
import { s } from '../src/schema/builder.ts';
import { compileSchema } from '../src/schema/compile-schema.ts';
import { mergeSettings, patchSettings } from '../src/settings/merge-settings.ts';

const compiled = compileSchema(
  jsonOf({
    unit: s.enum(['C', 'F'], { default: 'C' }),
    limit: s.integer({ default: 5, minimum: 1, maximum: 9 }),
    token: s.string(),
    note: s.optional(s.string()),
  }),
);
assert.ok(compiled.ok);
const { schema } = compiled;

test('settings are merged key by key: defaults, then each layer', () => {
  assert.deepEqual(
    mergeSettings(schema, [
      { name: 'fairlead.toml', values: { unit: 'F', token: 'a' } },
      { name: 'agent', values: { limit: 7 } },
      { name: 'session', values: { token: 'b' } },
    ]),
    { settings: { unit: 'F', limit: 7, token: 'b' }, reports: [], missing: [] },
  );
});

test('an invalid value is reported and gives way to what stands below it; an unknown key is ignored', () => {
  const merged = mergeSettings(schema, [
    { name: 'agent', values: { limit: 7 } },
    { name: 'session', values: { limit: 10, unit: 'K', other: 1, token: 't' } },
  ]);
  assert.deepEqual(merged.settings, { unit: 'C', limit: 7, token: 't' });
  assert.deepEqual(merged.reports, [
    { layer: 'session', key: 'unit', message: 'must be one of "C", "F"' },
    { layer: 'session', key: 'limit', message: 'must be an integer from 1 to 9' },
  ]);
});

test('a setting that nothing gives is absent, and named where it is needed', () => {
  assert.deepEqual(mergeSettings(schema, []), {
    settings: { unit: 'C', limit: 5 },
    reports: [],
    missing: ['token'],
  });
});

test('the merge is frozen', () => {
  const { settings } = mergeSettings(schema, []);
  assert.throws(() => {
    (settings as { unit: string }).unit = 'F';
  }, TypeError);
});

test('a patch sets and unsets keys, and leaves the others', () => {
  assert.deepEqual(patchSettings({ a: 1, b: 2, c: 3 }, { b: 5, c: null, d: null }), { a: 1, b: 5 });
  assert.equal(JSON.stringify(patchSettings(JSON.parse('{"__proto__":1}'), {})), '{"__proto__":1}');
});
