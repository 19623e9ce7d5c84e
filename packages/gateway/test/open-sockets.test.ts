import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { OpenSockets } from '../src/server/open-sockets.ts';

/** A socket from an address to 192.0.2.1. */
class FakeSocket extends EventEmitter {
  readonly localAddress = '192.0.2.1';
  readonly remoteAddress: string | undefined;
  isDestroyed = false;

  constructor(remoteAddress: string | undefined) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
}

function take(sockets: OpenSockets, remoteAddress: string | undefined): FakeSocket {
  const socket = new FakeSocket(remoteAddress);
  sockets.take(socket as unknown as Socket);
  return socket;
}

test('beyond the limit a socket is for this machine itself; what comes from elsewhere is destroyed', () => {
  const sockets = new OpenSockets(4);
  const far = Array.from({ length: 4 }, () => take(sockets, '198.51.100.7'));
  for (const own of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '192.0.2.1'])
    assert.equal(take(sockets, own).isDestroyed, false, own);
  for (const other of ['198.51.100.7', '192.0.2.2', '::ffff:198.51.100.7', undefined])
    assert.equal(take(sockets, other).isDestroyed, true, other);
  for (const socket of far) assert.equal(socket.isDestroyed, false);
});

test('a socket that is closed gives its place back', () => {
  const sockets = new OpenSockets(4);
  const far = Array.from({ length: 4 }, () => take(sockets, '198.51.100.7'));
  far[0]?.destroy();
  assert.equal(take(sockets, '198.51.100.8').isDestroyed, false);
  assert.equal(take(sockets, '198.51.100.9').isDestroyed, true);
});

test('sockets are scarce while more than half of them are taken, whoever has them', () => {
  const sockets = new OpenSockets(4);
  take(sockets, '198.51.100.7');
  const own = take(sockets, '127.0.0.1');
  assert.equal(sockets.areScarce, false);
  take(sockets, '198.51.100.7');
  assert.equal(sockets.areScarce, true);
  own.destroy();
  assert.equal(sockets.areScarce, false);
});
