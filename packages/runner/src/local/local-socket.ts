import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { isJsonObject, type Json, type JsonObject, parseJson } from '@fairlead/base';
import { limits } from '../limits.ts';

/** Answers one request of the local socket. */
export type LocalHandler = (request: JsonObject) => Json;

/**
 * A Unix socket of mode 0600 on this machine: one JSON line in, one JSON line out, then it closes. What only the Runner's own
 * user may see, such as a plugin's stderr, is served here and nowhere else.
 */
export class LocalSocket implements AsyncDisposable {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(handler: LocalHandler) {
    this.#server = createServer((socket) => {
      this.#open.add(socket);
      socket.on('close', () => this.#open.delete(socket));
      serve(socket, handler);
    });
    this.#server.maxConnections = limits.localConnectionsMax;
  }

  /** Listens at `path`, where nothing may be. */
  static async listen(path: string, handler: LocalHandler): Promise<LocalSocket> {
    const local = new LocalSocket(handler);
    await new Promise<void>((resolve, reject) => {
      local.#server.once('error', reject).listen(path, resolve);
    });
    // The folder around it is 0700 already.
    await chmod(path, 0o600);
    return local;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const REQUEST_BOUNDS = {
  maxBytes: limits.localRequestMaxBytes,
  maxDepth: 2,
  maxNodes: 16,
  maxStringBytes: limits.localRequestMaxBytes,
  maxKeyBytes: limits.localRequestMaxBytes,
};

function serve(socket: Socket, handler: LocalHandler): void {
  let received = Buffer.alloc(0);
  socket.setTimeout(limits.localTimeoutMs, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf('\n');
    if (end < 0 && received.length <= limits.localRequestMaxBytes) return;
    socket.removeAllListeners('data');
    const parsed = parseJson(received.subarray(0, Math.max(0, end)), REQUEST_BOUNDS);
    const request = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
    socket.end(`${JSON.stringify(handler(request))}\n`);
  });
}
