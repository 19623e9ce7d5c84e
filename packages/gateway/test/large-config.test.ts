import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { readHostConfig } from '../src/index.ts';

test('a fairlead.toml of long dotted keys is read in the time of its size, and not of its square', async (t) => {
  const path = join(temporaryFolder(t), 'fairlead.toml');
  const rows = Array.from({ length: 400 }, (_, row) => `k${row}${'.a'.repeat(900)} = 1`);
  writeFileSync(path, [...rows, 'last.a.b.key_env = "A_VARIABLE"', ''].join('\n'));
  // With a path for each value this took half a minute.
  const reading = await readHostConfig({ path, isNamed: true, env: {} });
  assert.ok(reading.ok);
  assert.deepEqual(reading.environmentKeys, ['A_VARIABLE']);
});

test('a key for a variable that holds something else is named by its whole path, however deep it stands', async (t) => {
  const path = join(temporaryFolder(t), 'fairlead.toml');
  writeFileSync(path, '[[a.b]]\n[[a.b]]\nlist = [{ x_env = "not a name" }]\n');
  const reading = await readHostConfig({ path, isNamed: true, env: {} });
  assert.ok(!reading.ok);
  assert.equal(reading.fault.code, 'host_config_invalid');
  assert.match(reading.fault.message, /a\.b\[1\]\.list\[0\]\.x_env/);
});
