import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Envelope } from './envelope.ts';
import { statusOf } from './status.ts';

/**
 * Answers on a bare socket, where there is no response object (an upgrade, a request that could not be parsed), and
 * closes it.
 */
export function writeRawAnswer(socket: Duplex, envelope: Envelope): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusOf(envelope.error?.code ?? '');
  const body = JSON.stringify(envelope);
  const challenge = status === 401 ? 'WWW-Authenticate: Bearer realm="fairlead"\r\n' : '';
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${challenge}Connection: close\r\n\r\n${body}`,
  );
}
