import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowsEndpoint } from '../../src/grants/endpoint.ts';
import type { Endpoint } from '../../src/grants/grants.ts';

function allows(endpoint: Endpoint, host: string, path = '/', method = 'GET') {
  return allowsEndpoint({ endpoints: [endpoint], allowPrivate: false }, { host, path, method });
}

test('*.x covers every name below x and not x itself, nor a name that ends alike', () => {
  const verdicts = ['a.x.org', 'b.a.x.org', 'x.org', 'ax.org', '.x.org', 'x.org.evil'].map((host) =>
    allows({ host: '*.x.org' }, host),
  );
  assert.deepEqual(verdicts, [true, true, false, false, false, false]);
});

test('a path prefix covers whole segments', () => {
  const verdicts = ['/v1', '/v1/', '/v1/x', '/v12', '/', '/V1'].map((path) =>
    allows({ host: 'x.org', pathPrefix: '/v1' }, 'x.org', path),
  );
  assert.deepEqual(verdicts, [true, true, true, false, false, false]);
});

test('a path that a server may unfold into another lies below no prefix', () => {
  const unclear = [
    '/v1/%2e%2e/x',
    '/v1%2Fx',
    '/v1/%252e%252e/x',
    '/v1//x',
    '/v1/..;/x',
    '/v1/%5c..',
    '/v1/%00',
  ];
  for (const path of unclear) {
    assert.equal(allows({ host: 'x.org', pathPrefix: '/v1' }, 'x.org', path), false, path);
    assert.equal(allows({ host: 'x.org' }, 'x.org', path), true, path);
  }
});

test('methods are those that are listed; an empty list is none', () => {
  assert.equal(allows({ host: '*', methods: ['GET'] }, 'x.org'), true);
  assert.equal(allows({ host: '*', methods: ['GET'] }, 'x.org', '/', 'POST'), false);
  assert.equal(allows({ host: '*', methods: [] }, 'x.org'), false);
});

test('without a list every endpoint is allowed, with an empty one none', () => {
  const request = { host: 'x.org', path: '/', method: 'GET' };
  assert.equal(allowsEndpoint(undefined, request), true);
  assert.equal(allowsEndpoint({ allowPrivate: false }, request), true);
  assert.equal(allowsEndpoint({ endpoints: [], allowPrivate: true }, request), false);
});
