import type { Socket } from 'node:net';
import { socketAddress } from './host-name.ts';

/** True where this machine itself is on the other side of a socket. A socket that is gone has no other side. */
export function isOwnMachine(socket: Pick<Socket, 'remoteAddress' | 'localAddress'>): boolean {
  const remote = socketAddress(socket.remoteAddress);
  if (remote === '') return false;
  return remote === '::1' || remote.startsWith('127.') || remote === socketAddress(socket.localAddress);
}
