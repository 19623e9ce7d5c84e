import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type LinkFrame, parseLinkFrame, type RunnerRequest, type RunnerResponse } from '@fairlead/protocol';
import { type WebSocket, WebSocketServer } from 'ws';

/** The gateway's end of the link, as little as a test needs. It registers whoever comes. */
export class LinkPeer {
  readonly #server: WebSocketServer;
  readonly #waiting = new Map<number, (response: RunnerResponse) => void>();
  /** Every byte that any Runner has sent. */
  readonly received: string[] = [];
  readonly frames: LinkFrame[] = [];
  readonly requests: IncomingMessage[] = [];
  readonly #sockets: WebSocket[] = [];
  #watchers: (() => void)[] = [];
  #id = 0;

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', (socket, request) => {
      this.requests.push(request);
      this.#sockets.push(socket);
      socket.on('message', (data: Buffer) => this.#take(socket, data));
    });
  }

  static async listen(t: { after(hook: () => unknown): void }, port = 0): Promise<LinkPeer> {
    const server = new WebSocketServer({ host: '127.0.0.1', port, perMessageDeflate: false });
    const peer = new LinkPeer(server);
    await once(server, 'listening');
    t.after(() => peer.close());
    return peer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  ask(request: RunnerRequest, budgetMs = 20_000): Promise<RunnerResponse> {
    this.#id += 1;
    const id = this.#id;
    this.#sockets.at(-1)?.send(JSON.stringify({ type: 'request', id, deadline_ms: budgetMs, request }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  /** Resolves with the `count`-th frame of this type. */
  async frame(type: LinkFrame['type'], count = 1): Promise<LinkFrame> {
    for (;;) {
      const found = this.frames.filter((frame) => frame.type === type)[count - 1];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  drop(): void {
    this.#sockets.at(-1)?.terminate();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #take(socket: WebSocket, data: Buffer): void {
    this.received.push(data.toString());
    const parsed = parseLinkFrame(data, 'runner');
    if (!parsed.ok) throw new Error(`the Runner wrote ${data.toString()}: ${parsed.code}`);
    const { frame } = parsed;
    this.frames.push(frame);
    if (frame.type === 'register') socket.send('{"type":"registered"}');
    if (frame.type === 'result') this.#waiting.get(frame.id)?.(frame.response);
    for (const watcher of this.#watchers.splice(0)) watcher();
  }
}
