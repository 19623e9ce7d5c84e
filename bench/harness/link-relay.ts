import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a Runner and its gateway and can lose the link for both of them, with what is on its way. */
export class LinkRelay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #toLose = 0;
  #lost = Buffer.alloc(0);

  private constructor(server: Server, gatewayUrl: string) {
    this.#server = server;
    const { hostname, port } = new URL(gatewayUrl);
    server.on('connection', (runner) => this.#relay(runner, connect(Number(port), hostname)));
  }

  static async listen(gatewayUrl: string): Promise<LinkRelay> {
    const server = createServer();
    const relay = new LinkRelay(server, gatewayUrl);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next so many results of the Runner are lost, and with the last of them the link. */
  lose(results: number): void {
    this.#toLose = results;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#cut();
    await closed;
  }

  #relay(runner: Socket, gateway: Socket): void {
    for (const [from, to] of [
      [runner, gateway],
      [gateway, runner],
    ] as const) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk) => {
        if (from === runner && this.#toLose > 0) this.#swallow(chunk);
        else to.write(chunk);
      });
    }
  }

  #swallow(chunk: Buffer): void {
    this.#lost = Buffer.concat([this.#lost, chunk]);
    for (let frame = firstFrame(this.#lost); frame !== null; frame = firstFrame(this.#lost)) {
      this.#lost = this.#lost.subarray(frame.length);
      if (frame.text.startsWith('{"type":"result"')) this.#toLose -= 1;
    }
    if (this.#toLose <= 0) this.#cut();
  }

  #cut(): void {
    this.#toLose = 0;
    this.#lost = Buffer.alloc(0);
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** The first frame of a client (RFC 6455, 5.2), masked as it has to be and here below 64 KiB; null where it is not whole. */
function firstFrame(bytes: Buffer): { readonly length: number; readonly text: string } | null {
  if (bytes.length < 4) return null;
  const short = bytes.readUInt8(1) & 0x7f;
  const maskAt = short < 126 ? 2 : 4;
  const payloadAt = maskAt + 4;
  const length = payloadAt + (short < 126 ? short : bytes.readUInt16BE(2));
  if (bytes.length < length) return null;
  const payload = bytes
    .subarray(payloadAt, length)
    .map((byte, at) => byte ^ bytes.readUInt8(maskAt + (at % 4)));
  return { length, text: Buffer.from(payload).toString() };
}
