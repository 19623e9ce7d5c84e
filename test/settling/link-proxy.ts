import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** One direction of one connection. It forwards what comes until it is told to hold, and then as much as it is told to. */
export class Pipe {
  readonly #to: Socket;
  #held: Buffer[] = [];
  #isHolding = false;
  #allowance = Number.POSITIVE_INFINITY;
  #onSpent: (() => void) | null = null;
  #watchers: (() => void)[] = [];

  constructor(from: Socket, to: Socket) {
    this.#to = to;
    from.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  /** From now on nothing goes through. */
  hold(): void {
    this.#isHolding = true;
  }

  /** Lets `bytes` more through, then calls `spent` once and holds. */
  allow(bytes: number, spent: () => void): void {
    this.#allowance = bytes;
    this.#onSpent = spent;
    if (bytes === 0) this.#spend();
  }

  /** Resolves with everything that is held once it begins with a whole WebSocket frame. */
  async heldFrame(): Promise<Buffer> {
    for (;;) {
      const held = Buffer.concat(this.#held);
      if (held.length >= frameLength(held)) return held;
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /** Lets the first `bytes` of what is held through. */
  forward(bytes: number): void {
    const held = Buffer.concat(this.#held);
    this.#write(held.subarray(0, bytes));
    this.#held = [held.subarray(bytes)];
  }

  /** Lets everything through that is held, and what comes. */
  release(): void {
    this.#isHolding = false;
    this.#allowance = Number.POSITIVE_INFINITY;
    this.#onSpent = null;
    this.forward(Number.POSITIVE_INFINITY);
  }

  /** Writes bytes that nobody sent here. */
  inject(bytes: Buffer): void {
    this.#write(bytes);
  }

  #take(chunk: Buffer): void {
    if (this.#isHolding) this.#held.push(chunk);
    else if (chunk.length <= this.#allowance) {
      this.#allowance -= chunk.length;
      this.#write(chunk);
    } else {
      this.#write(chunk.subarray(0, this.#allowance));
      this.#held.push(chunk.subarray(this.#allowance));
      this.#spend();
    }
    for (const watcher of this.#watchers.splice(0)) watcher();
  }

  #spend(): void {
    this.#isHolding = true;
    this.#allowance = Number.POSITIVE_INFINITY;
    const spent = this.#onSpent;
    this.#onSpent = null;
    spent?.();
  }

  #write(bytes: Buffer): void {
    if (bytes.length > 0 && !this.#to.destroyed) this.#to.write(bytes);
  }
}

/** The length of the first WebSocket frame of these bytes (RFC 6455, 5.2); more than there is where that cannot be told yet. */
function frameLength(bytes: Buffer): number {
  if (bytes.length < 4) return Number.POSITIVE_INFINITY;
  const second = bytes.readUInt8(1);
  const mask = second & 0x80 ? 4 : 0;
  const short = second & 0x7f;
  if (short < 126) return 2 + mask + short;
  if (short === 126) return 4 + mask + bytes.readUInt16BE(2);
  return bytes.length < 10 ? Number.POSITIVE_INFINITY : 10 + mask + Number(bytes.readBigUInt64BE(2));
}

/** One link through the proxy. */
export class ProxiedLink {
  readonly toRunner: Pipe;
  readonly toGateway: Pipe;
  readonly #runner: Socket;
  readonly #gateway: Socket;
  #isJoined = true;

  constructor(runner: Socket, gateway: Socket) {
    this.#runner = runner;
    this.#gateway = gateway;
    this.toRunner = new Pipe(gateway, runner);
    this.toGateway = new Pipe(runner, gateway);
    for (const socket of [runner, gateway]) {
      socket.on('error', () => {});
      // Each end learns of the other's.
      socket.on('close', () => {
        if (this.#isJoined) this.cut();
      });
    }
  }

  /** Whether the Runner still has it. */
  get isUp(): boolean {
    return !this.#runner.destroyed;
  }

  /** Both ends lose it, and with it what is on its way. */
  cut(): void {
    this.#runner.destroy();
    this.#gateway.destroy();
  }

  /** Only the Runner loses it; to the gateway it looks as before. */
  cutRunner(): void {
    this.#isJoined = false;
    this.#runner.destroy();
  }
}

/** Stands between a Runner and its gateway, and does to the bytes what a test says. */
export class LinkProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly links: ProxiedLink[] = [];
  /** New connections are closed at once. */
  refuses = false;
  gatewayPort: number;

  private constructor(server: Server, gatewayPort: number) {
    this.#server = server;
    this.gatewayPort = gatewayPort;
    server.on('connection', (runner) => this.#accept(runner));
  }

  static async listen(gatewayPort: number): Promise<LinkProxy> {
    const server = createServer();
    const proxy = new LinkProxy(server, gatewayPort);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The newest link. */
  get link(): ProxiedLink {
    const link = this.links.at(-1);
    if (link === undefined) throw new Error('nothing has connected');
    return link;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(runner: Socket): void {
    if (this.refuses) {
      runner.destroy();
      return;
    }
    const gateway = connect(this.gatewayPort, '127.0.0.1');
    for (const socket of [runner, gateway]) {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.setNoDelay(true);
    }
    this.links.push(new ProxiedLink(runner, gateway));
  }
}
