import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processErrors } from '../src/index.ts';

test('every code says what happened and what to do, and names no path', () => {
  assert.deepEqual(Object.keys(processErrors), ['plugin_isolation_unavailable']);
  for (const { message, next } of Object.values(processErrors)) {
    assert.match(message, /^[A-Z].*\.$/);
    assert.match(next, /^[A-Z].*\.$/);
    assert.doesNotMatch(message, /[/\\]/);
  }
  assert.equal(Object.isFrozen(processErrors), true);
});
