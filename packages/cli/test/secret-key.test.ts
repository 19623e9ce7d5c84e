import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { argumentsDigest } from '@fairlead/dispatch';
import { seededRandom, temporaryFolder } from '@fairlead/testing';
import { readDigestKey } from '../src/host/secret-key.ts';

test('the key is made once, mode 0600, and gives the same digests afterwards', async (t) => {
  const folder = temporaryFolder(t);
  const random = seededRandom(1);
  const first = await readDigestKey(folder, random);
  const path = join(folder, 'secret.key');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(readFileSync(path).length, 32);
  const second = await readDigestKey(folder, random);
  assert.equal(argumentsDigest(first, 'plugin:a', '{}'), argumentsDigest(second, 'plugin:a', '{}'));
});

test('digests are made with a key derived from the file, never with the file itself', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'secret.key'), Buffer.alloc(32, 7));
  const key = await readDigestKey(folder, seededRandom(1));
  assert.equal(key.export().equals(Buffer.alloc(32, 7)), false);
  // HKDF-SHA-256 of 32 × 0x07, no salt, "fairlead argument digests v1".
  assert.equal(
    key.export().toString('hex'),
    '64d6386dd2887a162b26e49bafbc51e501a70d3dd0032076ac387382e91d9227',
  );
});

test('a file that is no key is refused, and left as it is', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'secret.key');
  for (const bytes of [0, 31, 33]) {
    writeFileSync(path, Buffer.alloc(bytes));
    await assert.rejects(readDigestKey(folder, seededRandom(1)), {
      code: 'secret_key_invalid',
      message: 'secret.key in the state directory cannot be used.',
      detail: { reason: 'it is not 32 bytes' },
    });
    assert.equal(readFileSync(path).length, bytes);
  }
});

test('one that cannot be read is refused, never made anew', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'secret.key'));
  await assert.rejects(readDigestKey(folder, seededRandom(1)), {
    code: 'secret_key_invalid',
    detail: { reason: 'EISDIR' },
  });
});
