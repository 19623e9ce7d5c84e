import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Types stand before it on its line: taken out instead of blanked they would move it. */
const fails = (text: string): Error => new Error(text);

test('a place in a test, and what coverage counts, is the place in the source', () => {
  const [, line, column] = /test-preload\.test\.ts:(\d+):(\d+)/.exec(fails('here').stack ?? '') ?? [];
  const source = readFileSync(import.meta.filename, 'utf8').split('\n')[Number(line) - 1] ?? '';
  assert.match(source.slice(Number(column) - 1), /^new Error\(text\)/);
});

test('what a test starts may use the compile cache, as it does for a user', () => {
  assert.equal(process.env['NODE_DISABLE_COMPILE_CACHE'], undefined);
  assert.match(process.env['NODE_COMPILE_CACHE'] ?? '', /node_modules\/\.cache\/fairlead$/);
});
