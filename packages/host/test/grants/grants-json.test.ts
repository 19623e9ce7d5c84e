import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantsJson } from '../../src/grants/grants-json.ts';
import { readGrants } from '../../src/grants/read-grants.ts';

test('grants are told as they would be written, so that reading them again gives the same', () => {
  for (const written of [
    {},
    { shell: { allow: [['git', 'log']], deny: [['rm']] }, fs: { read: ['/srv'], write: [] } },
    { network: { allow_private: true } },
    {
      network: {
        allow_private: false,
        endpoints: [{ host: 'example.com', path_prefix: '/v1', methods: ['GET'] }, { host: '*' }],
      },
    },
  ]) {
    const reading = readGrants(written);
    assert.ok(reading.ok);
    assert.deepEqual(grantsJson(reading.value), written);
  }
});
