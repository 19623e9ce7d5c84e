import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observed } from '@fairlead/dispatch';
import { seededRandom } from '@fairlead/testing';
import { PinBindings } from '../../src/plugins/pin-bindings.ts';

const SCHEMA = { type: 'object' };

const seen = () =>
  observed({
    ...{ runner: 'local', runnerInstance: 'r', plugin: 'notes', providerInstance: 'p' },
    ...{ tool: 'add', observation: 'o', timeoutSecs: 30 },
  });

test('a handle stands for what was observed until that does not hold any more, and then that is told once', async () => {
  const forgotten: string[] = [];
  const bindings = new PinBindings(seededRandom(1), ({ target }) => forgotten.push(target));
  const one = seen();
  const handle = await bindings.bind(one, SCHEMA);
  assert.match(handle, /^wc_pbind_[\w-]{22}$/);
  assert.deepEqual([bindings.resolve(handle), await bindings.inputSchema(handle)], [one, SCHEMA]);
  bindings.forget(handle);
  bindings.forget(handle);
  assert.deepEqual([bindings.resolve(handle), await bindings.inputSchema(handle)], [undefined, null]);
  assert.deepEqual(forgotten, [one.target]);
});

test('a handle that is dropped is nobody’s news', () => {
  const forgotten: string[] = [];
  const bindings = new PinBindings(seededRandom(1), ({ target }) => forgotten.push(target));
  const handle = bindings.add(seen(), SCHEMA);
  bindings.drop(handle);
  bindings.forget(handle);
  assert.deepEqual([bindings.resolve(handle), forgotten], [undefined, []]);
});
