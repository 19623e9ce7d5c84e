import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { type Clock, isJsonObject, type Json, type JsonObject, parseJson } from '@fairlead/base';
import { limits } from '../limits.ts';
import type { RunnerLog } from '../log.ts';

/** Answers one request of the local socket. */
export type LocalHandler = (request: JsonObject) => Json;

export type LocalSocketServices = { readonly clock: Clock; readonly log: RunnerLog };

/**
 * A Unix socket of mode 0600 on this machine: one JSON line in, one JSON line out, then it closes. What only the Runner's own
 * user may see, such as a plugin's stderr, is served here and nowhere else.
 */
export class LocalSocket implements AsyncDisposable {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(handler: LocalHandler, clock: Clock) {
    this.#server = createServer((socket) => {
      const timer = clock.setTimer(limits.localTimeoutMs, () => socket.destroy());
      this.#open.add(socket);
      socket.on('close', () => {
        timer.cancel();
        this.#open.delete(socket);
      });
      serve(socket, handler);
    });
    this.#server.maxConnections = limits.localConnectionsMax;
  }

  /** Listens at `path`, where nothing may be. */
  static async listen(
    path: string,
    handler: LocalHandler,
    { clock, log }: LocalSocketServices,
  ): Promise<LocalSocket> {
    const local = new LocalSocket(handler, clock);
    await new Promise<void>((resolve, reject) => {
      local.#server.on('error', (error) => {
        // Once it listens nobody waits for the promise: a connection could not be accepted, and the next may be.
        if (local.#server.listening) log('warn', 'local.failed', { code: codeOf(error) });
        else reject(error);
      });
      local.#server.listen(path, resolve);
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

function codeOf(error: Error): string {
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : 'unknown';
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
