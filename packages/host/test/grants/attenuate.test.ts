import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attenuate } from '../../src/grants/attenuate.ts';
import { DENY_ALL, type Endpoint } from '../../src/grants/grants.ts';

test('no level, and levels that say nothing, limit nothing', () => {
  assert.deepEqual(attenuate(), {});
  assert.deepEqual(attenuate(undefined, {}, undefined), {});
});

test('one level alone is itself', () => {
  const level = { shell: { allow: [['git']] }, network: { allowPrivate: true }, fs: { read: ['/desk'] } };
  assert.deepEqual(attenuate(level, {}), level);
  assert.deepEqual(attenuate({}, level), level);
});

test('an empty list beats an absent one and a list', () => {
  assert.deepEqual(attenuate({ fs: { read: [] } }, { fs: { write: ['/desk'] } }), {
    fs: { read: [], write: ['/desk'] },
  });
  assert.deepEqual(attenuate({ fs: { read: [] } }, { fs: { read: ['/'] } }), { fs: { read: [] } });
  assert.deepEqual(attenuate(DENY_ALL, { shell: {}, network: { allowPrivate: true }, fs: {} }), DENY_ALL);
});

test('of nested folders the inner one stays; a name that begins alike is another folder', () => {
  const inForce = attenuate(
    { fs: { read: ['/desk', '/etc'] } },
    { fs: { read: ['/desk/a', '/deskother', '/etc/', '/desk/a/b'] } },
  );
  assert.deepEqual(inForce, { fs: { read: ['/desk/a', '/etc/'] } });
  assert.deepEqual(attenuate({ fs: { write: ['/desk'] } }, { fs: { write: ['/deskother'] } }), {
    fs: { write: [] },
  });
});

test('of nested commands the longer one stays, and denied ones add up', () => {
  const inForce = attenuate(
    { shell: { allow: [['git'], ['npm', 'test']], deny: [['git', 'push']] } },
    { shell: { allow: [['git', 'log'], ['npm']], deny: [['git', 'push'], ['rm']] } },
    { shell: { deny: [['curl']] } },
  );
  assert.deepEqual(inForce, {
    shell: {
      allow: [
        ['npm', 'test'],
        ['git', 'log'],
      ],
      deny: [['git', 'push'], ['rm'], ['curl']],
    },
  });
});

test('of endpoints the narrower host, path and methods stay; what is apart leaves nothing', () => {
  const inForce = attenuate(
    {
      network: {
        endpoints: [{ host: '*.x.org', methods: ['GET', 'POST'] }, { host: 'y.org' }],
        allowPrivate: true,
      },
    },
    {
      network: {
        endpoints: [
          { host: 'a.x.org', pathPrefix: '/v1', methods: ['GET', 'PUT'] },
          { host: 'y.org', pathPrefix: '/a' },
          { host: 'z.org' },
          { host: '*.x.org', methods: ['DELETE'] },
        ],
        allowPrivate: true,
      },
    },
    { network: { endpoints: [{ host: '*', pathPrefix: '/v1' }], allowPrivate: false } },
  );
  assert.deepEqual(inForce, {
    network: { endpoints: [{ host: 'a.x.org', pathPrefix: '/v1', methods: ['GET'] }], allowPrivate: false },
  });
});

test('private networks need the word of every level that speaks about the network', () => {
  const open = { network: { allowPrivate: true } };
  assert.deepEqual(attenuate(open, {}, open), { network: { allowPrivate: true } });
  assert.deepEqual(attenuate(open, { network: { allowPrivate: false } }), {
    network: { allowPrivate: false },
  });
});

test('more endpoints than can be kept are left out, which only narrows', () => {
  const hosts = Array.from({ length: 70 }, (_, at): Endpoint => ({ host: '*', pathPrefix: `/${at}` }));
  const methods = Array.from({ length: 70 }, (_, at): Endpoint => ({ host: `h${at}` }));
  const inForce = attenuate(
    { network: { endpoints: hosts, allowPrivate: false } },
    { network: { endpoints: methods, allowPrivate: false } },
  );
  assert.equal(inForce.network?.endpoints?.length, 4096);
});
