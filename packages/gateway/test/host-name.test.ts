import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  hostOfAuthority,
  isLoopback,
  isLoopbackName,
  isWildcard,
  normalHost,
  socketAddress,
  urlHost,
} from '../src/http/host-name.ts';

test('a host is compared in lower case, without brackets and without the final dot', () => {
  assert.equal(normalHost('LocalHost.'), 'localhost');
  assert.equal(normalHost('[::1]'), '::1');
  assert.equal(normalHost('0:0:0:0:0:0:0:1'), '::1');
  assert.equal(normalHost('fe80::1%eth0'), 'fe80::1');
  assert.equal(normalHost('::ffff:7f00:1'), '::ffff:7f00:1');
});

test('what is neither a name nor an address is no host', () => {
  for (const text of ['', '.', 'a b', 'a/b', 'a@b', '-', 'ä.example', 'a'.repeat(300)]) {
    assert.equal(normalHost(text), null, text);
  }
});

test('the host of an authority is read with and without a port', () => {
  assert.equal(hostOfAuthority('localhost:7420'), 'localhost');
  assert.equal(hostOfAuthority('127.0.0.1'), '127.0.0.1');
  assert.equal(hostOfAuthority('[::1]:7420'), '::1');
});

test('an authority with a user, a path, two ports or a space has no host', () => {
  const wrong = [
    'user@localhost',
    'localhost/evil',
    'localhost:1:2',
    'local host',
    'localhost:',
    ':7420',
    '::1',
    '[::1',
    'localhost:123456',
  ];
  for (const text of wrong) assert.equal(hostOfAuthority(text), null, text);
});

test('only addresses of this machine are loopback', () => {
  assert.equal(isLoopback('localhost'), true);
  assert.equal(isLoopback('127.5.0.1'), true);
  assert.equal(isLoopback('::1'), true);
  assert.equal(isLoopback('0.0.0.0'), false);
  assert.equal(isLoopback('127.example'), false);
  assert.equal(isLoopbackName('127.5.0.1'), false);
  assert.equal(isWildcard('::'), true);
  assert.equal(isWildcard('127.0.0.1'), false);
});

test('a socket address loses its zone and its IPv4 mapping', () => {
  assert.equal(socketAddress('::ffff:127.0.0.1'), '127.0.0.1');
  assert.equal(socketAddress('fe80::1%eth0'), 'fe80::1');
  assert.equal(socketAddress(undefined), '');
  assert.equal(urlHost('::1'), '[::1]');
  assert.equal(urlHost('127.0.0.1'), '127.0.0.1');
});
