import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { createClientAddress } from '../src/http/client-address.ts';

function request(remoteAddress: string, forwarded?: string | string[]): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

test('without trusted proxies the address is the socket’s, whatever a header says', () => {
  const address = createClientAddress([]);
  assert.equal(address(request('::ffff:192.0.2.1', '198.51.100.7')), '192.0.2.1');
});

test('behind trusted proxies it is the nearest hop that none of them has', () => {
  const address = createClientAddress(['10.0.0.0/8', '::1', '127.0.0.1']);
  assert.equal(address(request('127.0.0.1', '203.0.113.9, 198.51.100.7, 10.1.2.3')), '198.51.100.7');
  assert.equal(address(request('::1', '2001:db8::5')), '2001:db8::5');
  assert.equal(address(request('127.0.0.1', ['198.51.100.7', '10.1.2.3'])), '198.51.100.7');
  assert.equal(address(request('127.0.0.1')), '127.0.0.1');
});

test('an untrusted peer’s header and a hop that is no address are not believed', () => {
  const address = createClientAddress(['10.0.0.0/8']);
  assert.equal(address(request('192.0.2.1', '10.9.9.9')), '192.0.2.1');
  assert.equal(address(request('10.0.0.1', 'nonsense\n')), '10.0.0.1');
});
