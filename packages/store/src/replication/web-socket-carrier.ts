import type { WebSocket } from 'ws';
import { MAX_FRAME_BYTES, MAX_SENDING_BYTES } from '../limits.ts';
import type { Carrier } from './carrier.ts';
import { MessageQueue } from './message-queue.ts';

/**
 * Carries messages over a WebSocket, one text frame each. Owns the socket, which may still be connecting; its own `maxPayload`
 * should be no more than a message's 8 MiB.
 */
export function webSocketCarrier(socket: WebSocket): Carrier {
  const queue = new MessageQueue((hasRoom) => {
    if (hasRoom) socket.resume();
    else socket.pause();
  });
  const opened = new Promise<void>((resolve) => {
    if (socket.readyState !== socket.CONNECTING) resolve();
    socket.once('open', () => resolve());
    socket.once('close', () => resolve());
  });
  socket.on('message', (data, isBinary) => {
    const bytes = Buffer.isBuffer(data)
      ? data
      : Array.isArray(data)
        ? Buffer.concat(data)
        : Buffer.from(data);
    if (isBinary || bytes.length > MAX_FRAME_BYTES) socket.close(1009);
    else queue.push(bytes);
  });
  socket.on('error', () => socket.terminate());
  socket.once('close', () => queue.end());
  return {
    messages: queue,
    async send(text) {
      await opened;
      if (socket.readyState !== socket.OPEN) return;
      const flushed = new Promise<void>((resolve) => socket.send(text, () => resolve()));
      if (socket.bufferedAmount > MAX_SENDING_BYTES) await flushed;
    },
    close() {
      queue.end();
      socket.close(1000);
    },
  };
}
