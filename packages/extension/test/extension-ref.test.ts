import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRef, version } from '../src/authoring/extension-ref.ts';

const refs = [
  [{ kind: 'builtin', name: 'core', version: '0.1.0' }, '0.1.0'],
  [{ kind: 'path', name: 'weather', digest: 'bafy1' }, 'bafy1'],
  [{ kind: 'npm', name: 'dice', package: '@a/dice', version: '2.0.0', integrity: 'sha512-x' }, '2.0.0'],
  [{ kind: 'git', name: 'wx', repo: 'https://example.org/wx', sha: 'c0ffee' }, 'c0ffee'],
  [{ kind: 'ipld', name: 'wx', cid: 'bafy2' }, 'bafy2'],
  [{ kind: 'database', name: 'wx', db_id: 'ext_1', version: '3' }, '3'],
] as const;

test('each kind of ref survives JSON, and says which version it names', () => {
  for (const [ref, expected] of refs) {
    const read = readRef(JSON.parse(JSON.stringify(ref)));
    assert.deepEqual(read, ref);
    assert.ok(read !== undefined);
    assert.equal(version(read), expected);
    assert.equal(read.name, ref.name);
  }
});

test('a ref of a kind from the future is kept as it is', () => {
  const ref = { kind: 'oci', name: 'wx', image: { tag: 'v1' }, version: '9' };
  const read = readRef(ref);
  assert.deepEqual(read, ref);
  assert.ok(read !== undefined);
  assert.equal(version(read), '9');
  const { version: _version, ...bare } = ref;
  assert.equal(version(readRef(bare) ?? { kind: 'x', name: 'y' }), '');
});

test('what is no ref is refused', () => {
  for (const bad of [
    null,
    'builtin',
    {},
    { kind: 'builtin', name: 'core' },
    { kind: 'builtin', name: '', version: '1' },
    { kind: 'npm', name: 'a', version: '1' },
    { kind: 5, name: 'a' },
    { kind: 'path', name: 'a', digest: 5 },
    { kind: 'toString', name: 5 },
  ])
    assert.equal(readRef(bad), undefined, JSON.stringify(bad));
});
