import type { Duplex } from 'node:stream';
import { MAX_FRAME_BYTES } from '../limits.ts';
import type { Carrier } from './carrier.ts';

const LINE_FEED = 0x0a;

/** Carries messages over a stream of bytes, such as a pipe or a TCP or TLS socket: one JSON text a line. Owns the stream. */
export function streamCarrier(stream: Duplex): Carrier {
  stream.on('error', () => stream.destroy());
  return {
    messages: lines(stream),
    async send(text) {
      if (stream.writableEnded || stream.destroyed) return;
      if (stream.write(`${text}\n`)) return;
      await new Promise<void>((resolve) => {
        const on = () => {
          stream.off('drain', on);
          stream.off('close', on);
          resolve();
        };
        stream.on('drain', on);
        stream.on('close', on);
      });
    },
    close() {
      stream.end(() => stream.destroy());
    },
  };
}

async function* lines(stream: Duplex): AsyncGenerator<Uint8Array, void, void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      let rest: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
        yield Buffer.concat([...parts, rest.subarray(0, end)]);
        parts = [];
        bytes = 0;
        rest = rest.subarray(end + 1);
      }
      bytes += rest.length;
      if (bytes > MAX_FRAME_BYTES) return;
      if (rest.length > 0) parts.push(rest);
    }
  } catch {
    // The stream broke: the session sees its end, as if the other side had closed.
  } finally {
    stream.destroy();
  }
}
