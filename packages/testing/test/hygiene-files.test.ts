import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene } from '../src/index.ts';
import { fakeContext } from './fake-context.ts';

/** Puts a `readdirSync` in the place of Node's, in every module. */
function replaceReaddir(readdir: unknown): void {
  Reflect.set(fs, 'readdirSync', readdir);
  syncBuiltinESMExports();
}

test('a folder that goes while the guard reads it fails no test, and a file that stays is told', async () => {
  const t = fakeContext();
  const guard = hygiene(t);
  const left = join(guard.temporaryRoot, 'left');
  fs.writeFileSync(left, '');
  const { readdirSync } = fs;
  let looks = 0;
  replaceReaddir((...given: readonly unknown[]): unknown => {
    if (given[0] === guard.temporaryRoot) looks += 1;
    // As Node does where a folder was there when its parent was read.
    if (looks === 1) throw Object.assign(new Error('no such folder'), { code: 'ENOENT' });
    return Reflect.apply(readdirSync, fs, given);
  });
  try {
    const files = guard.leftovers().filter((line) => line.startsWith('file'));
    assert.deepEqual(files, ['file: left']);
  } finally {
    replaceReaddir(readdirSync);
  }
  assert.equal(looks, 2);
  fs.rmSync(left);
  await t.end();
});

test('a folder that cannot be read however often it is looked at is told, and hangs no test', async () => {
  const t = fakeContext();
  const guard = hygiene(t);
  const { readdirSync } = fs;
  let looks = 0;
  replaceReaddir((...given: readonly unknown[]): unknown => {
    if (given[0] !== guard.temporaryRoot) return Reflect.apply(readdirSync, fs, given);
    looks += 1;
    throw Object.assign(new Error('no such folder'), { code: 'ENOENT' });
  });
  try {
    assert.throws(() => guard.leftovers(), { code: 'ENOENT' });
  } finally {
    replaceReaddir(readdirSync);
  }
  assert.equal(looks, 100);
  await t.end();
});
