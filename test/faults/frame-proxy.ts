import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type CallFrame, CallFrames, FrameSplitter } from './link-frames.ts';
import type { CutEnd, LinkRule } from './plan.ts';

/** How long the other end of a half-cut link takes to notice: less than a Runner's patience with silence. */
const HALF_CUT_MS = 80;

/** A rule that knows its call by name, '' where it is for none. Each is applied to one frame. */
export type FrameRule = Pick<LinkRule, 'frame' | 'does'> & { readonly name: string };

type Late = { readonly frame: Buffer; left: number };

/** One direction of one connection. */
class Way {
  readonly #to: Socket;
  readonly #splitter = new FrameSplitter();
  readonly #take: (frame: Buffer) => void;
  #held: Buffer[] | null = null;
  #late: Late[] = [];

  constructor(from: Socket, to: Socket, take: (frame: Buffer) => void) {
    this.#to = to;
    this.#take = take;
    from.on('data', (chunk: Buffer) => {
      for (const frame of this.#splitter.push(chunk)) this.#take(frame);
    });
  }

  /** Lets a frame through, behind what is held. */
  pass(frame: Buffer, written?: () => void): void {
    if (this.#held !== null) {
      this.#held.push(frame);
      return;
    }
    this.write(frame, written);
    for (const late of this.#late) late.left -= 1;
    const due = this.#late.filter(({ left }) => left <= 0);
    this.#late = this.#late.filter(({ left }) => left > 0);
    for (const late of due) this.write(late.frame);
  }

  write(bytes: Buffer, written?: () => void): void {
    if (!this.#to.destroyed) this.#to.write(bytes, written);
  }

  hold(): void {
    this.#held ??= [];
  }

  delay(frame: Buffer, by: number): void {
    this.#late.push({ frame, left: by });
  }

  release(): void {
    const held = this.#held ?? [];
    const late = this.#late;
    this.#held = null;
    this.#late = [];
    for (const { frame } of late) this.write(frame);
    for (const frame of held) this.write(frame);
  }
}

/** One connection through the proxy. */
class Link {
  readonly #runner: Socket;
  readonly #gateway: Socket;
  readonly #toRunner: Way;
  readonly #toGateway: Way;
  readonly #proxy: FrameProxy;
  readonly #frames = new CallFrames();
  /** Requests that are delivered a second time behind their answer, by call. */
  readonly #again = new Map<string, Buffer>();
  #noticed: NodeJS.Timeout | null = null;
  /** Resolves when everything that the gateway sent has been dealt with, and it sends no more. */
  readonly drained: Promise<void>;

  constructor(proxy: FrameProxy, runner: Socket, gateway: Socket) {
    this.#proxy = proxy;
    this.#runner = runner;
    this.#gateway = gateway;
    this.#toRunner = new Way(gateway, runner, (frame) => this.#take(frame, this.#toRunner));
    this.#toGateway = new Way(runner, gateway, (frame) => this.#take(frame, this.#toGateway));
    this.drained = new Promise((resolve) => gateway.once('close', () => resolve()));
    for (const socket of [runner, gateway]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        if (this.#noticed === null) this.cut('both');
      });
    }
  }

  cut(end: CutEnd): void {
    if (end !== 'gateway') this.#runner.destroy();
    if (end !== 'runner') this.#gateway.destroy();
    if (end === 'both') {
      if (this.#noticed !== null) clearTimeout(this.#noticed);
      return;
    }
    this.#noticed ??= setTimeout(() => this.cut('both'), HALF_CUT_MS);
  }

  release(): void {
    this.#toRunner.release();
    this.#toGateway.release();
  }

  #take(frame: Buffer, way: Way): void {
    const found = this.#frames.recognise(frame);
    const rule = found === null ? null : this.#proxy.ruleFor(found);
    if (rule === null) way.pass(frame);
    else this.#apply(rule, frame, way);
    if (found === null) return;
    if (found.frame === 'result') this.#repeat(found.name);
    this.#proxy.onFrame(found);
  }

  /** Delivers a request a second time behind its answer, once: the copy's answer belongs to the same call. */
  #repeat(name: string): void {
    const again = this.#again.get(name);
    this.#again.delete(name);
    if (again !== undefined) this.#toRunner.pass(again);
  }

  #apply({ does, frame: kind, name }: FrameRule, frame: Buffer, way: Way): void {
    switch (does.kind) {
      case 'cut': {
        const cut = () => this.cut(does.end);
        if (does.at === 'after') way.pass(frame, cut);
        else if (does.at === 'before') cut();
        else {
          way.write(frame.subarray(0, Math.ceil(frame.length / 2)), cut);
          // Whatever comes behind half a frame would be taken for its other half.
          way.hold();
        }
        return;
      }
      case 'hold':
        way.hold();
        way.pass(frame);
        return;
      case 'repeat':
        way.pass(frame);
        if (does.when === 'at once') way.pass(frame);
        else if (kind === 'request') this.#again.set(name, frame);
        else way.delay(frame, 1);
        return;
      case 'overtake':
        way.delay(frame, does.by);
        return;
    }
  }
}

/** Stands between a Runner and its gateway, takes their connection apart into frames, and does to them what rules say. */
export class FrameProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #links: Link[] = [];
  #rules: FrameRule[] = [];
  gatewayPort: number;
  /** Connections that were accepted. */
  accepted = 0;
  /** Told of each frame that can be attacked, when it has been dealt with. */
  onFrame: (frame: CallFrame) => void = () => {};

  private constructor(server: Server, gatewayPort: number) {
    this.#server = server;
    this.gatewayPort = gatewayPort;
    server.on('connection', (runner) => this.#accept(runner));
  }

  static async listen(gatewayPort: number): Promise<FrameProxy> {
    const server = createServer();
    const proxy = new FrameProxy(server, gatewayPort);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Those for which no frame has come yet. */
  get rules(): readonly FrameRule[] {
    return this.#rules;
  }

  /** From now on these hold, each for one frame. */
  set rules(rules: readonly FrameRule[]) {
    this.#rules = [...rules];
  }

  /** The rule for a frame; it holds no more. */
  ruleFor({ frame, name }: CallFrame): FrameRule | null {
    const index = this.#rules.findIndex((rule) => rule.frame === frame && rule.name === name);
    return index < 0 ? null : (this.#rules.splice(index, 1)[0] ?? null);
  }

  /** Lets everything go that is held back. */
  release(): void {
    for (const link of this.#links) link.release();
  }

  /** To be called when the gateway has ended: resolves when nothing that it sent is still to be passed on. */
  async drained(): Promise<void> {
    await Promise.all(this.#links.map(({ drained }) => drained));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const link of this.#links) link.cut('both');
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(runner: Socket): void {
    this.accepted += 1;
    const gateway = connect(this.gatewayPort, '127.0.0.1');
    for (const socket of [runner, gateway]) {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    }
    const link = new Link(this, runner, gateway);
    this.#links = [...this.#links.slice(-3), link];
  }
}
