import type { Clock, Timer } from '@fairlead/base';
import {
  encodeLinkFrame,
  encodeResponse,
  encodeResultFrame,
  type InventoryFrame,
  type LinkFrame,
  linkLimits,
  parseLinkFrame,
  type RegisterFrame,
  type RequestFrame,
} from '@fairlead/protocol';
import { refusal } from '../provider/answer.ts';
import type { ConnectLink, LinkSocket, LinkTarget } from './link-socket.ts';

/** The way back to whoever asked. Once its connection has ended nothing of it is sent. */
export type LinkReply = {
  /** The response to the request, as JSON text; called once, whenever it ends. */
  answer(responseText: string): void;
  /** Says that a call has ended which was answered `running` on this connection. */
  ended(call: string): void;
};

/** Carries out one request. */
export type RequestHandler = (frame: RequestFrame, reply: LinkReply) => void;

/** Why a connection ended. */
export type LinkEnd =
  | { readonly why: 'refused'; readonly status: number }
  /** The gateway said so in an `error` frame. */
  | { readonly why: 'error'; readonly code: string }
  | { readonly why: 'lost'; readonly registeredForMs: number };

export type LinkConnectionOptions = {
  readonly connect: ConnectLink;
  readonly target: LinkTarget;
  readonly register: RegisterFrame;
  readonly clock: Clock;
  readonly handler: RequestHandler;
  readonly onRegistered: () => void;
  /** Called once. */
  readonly onEnd: (end: LinkEnd) => void;
};

/**
 * One socket from dialling to its end: registers, answers requests and pings, and notices silence. The answer to a request of
 * this connection goes out on this connection or not at all.
 */
export class LinkConnection {
  readonly #options: LinkConnectionOptions;
  readonly #socket: LinkSocket;
  #timer: Timer;
  #heardMs: number;
  #registeredMs: number | null = null;
  #unwritten = 0;
  #paused = false;
  #ended = false;
  #end: LinkEnd | null = null;

  constructor(options: LinkConnectionOptions) {
    this.#options = options;
    const { clock, target } = options;
    this.#heardMs = clock.monotonicMs();
    this.#timer = clock.setTimer(target.timeoutMs + linkLimits.registerWithinMs, () =>
      this.#socket.terminate(),
    );
    this.#socket = options.connect(target, {
      onOpen: () => this.#send(options.register),
      onFrame: (bytes) => this.#frame(bytes),
      onRefused: (status) => {
        this.#end ??= { why: 'refused', status };
      },
      onClose: () => this.#closed(),
    });
  }

  get registered(): boolean {
    return this.#registeredMs !== null && !this.#ended;
  }

  /** Tells the gateway that what was registered has changed. */
  inventory(frame: InventoryFrame): void {
    if (this.#registeredMs !== null) this.#send(frame);
  }

  /** Tells the gateway that this Runner goes, then closes. */
  goodbye(): void {
    if (this.#registeredMs !== null) this.#send({ type: 'goodbye' });
    this.#socket.close();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #frame(bytes: Uint8Array): void {
    if (this.#ended) return;
    this.#heardMs = this.#options.clock.monotonicMs();
    const parsed = parseLinkFrame(bytes, 'gateway');
    if (parsed.ok) {
      this.#take(parsed.frame);
      return;
    }
    if ('id' in parsed) {
      const response = encodeResponse(refusal('invalid_plugin_request', 'not_started'));
      this.#sendText(encodeResultFrame(parsed.id, response));
      return;
    }
    // The link itself cannot be trusted any more.
    this.#send({ type: 'error', code: parsed.code, message: 'The frame cannot be read.' });
    this.#socket.close();
  }

  #take(frame: LinkFrame): void {
    switch (frame.type) {
      case 'request':
        this.#options.handler(frame, this.#replyTo(frame.id));
        return;
      case 'registered':
        if (this.#registeredMs === null) this.#registered();
        return;
      case 'ping':
        this.#send({ type: 'pong', ts: frame.ts });
        return;
      case 'error':
        this.#end ??= { why: 'error', code: frame.code };
        this.#socket.close();
        return;
      case 'goodbye':
        this.#socket.close();
        return;
      default:
        // A pong has done its work by being heard.
        return;
    }
  }

  #registered(): void {
    this.#registeredMs = this.#options.clock.monotonicMs();
    this.#timer.cancel();
    this.#nextPing();
    this.#options.onRegistered();
  }

  #nextPing(): void {
    const { clock } = this.#options;
    this.#timer = clock.setTimer(linkLimits.pingIntervalMs, () => {
      const silentMs = clock.monotonicMs() - this.#heardMs;
      if (silentMs >= linkLimits.missedPings * linkLimits.pingIntervalMs) return this.#socket.terminate();
      this.#send({ type: 'ping', ts: clock.wallMs() });
      this.#nextPing();
    });
  }

  #replyTo(id: number): LinkReply {
    return {
      answer: (responseText) => this.#sendText(encodeResultFrame(id, responseText)),
      ended: (call) => this.#send({ type: 'ended', call }),
    };
  }

  #send(frame: LinkFrame): void {
    this.#sendText(encodeLinkFrame(frame));
  }

  #sendText(text: string): void {
    if (this.#ended) return;
    this.#unwritten += 1;
    this.#socket.send(text, this.#written);
    // A gateway that does not read gets no new work done either.
    if (this.#unwritten < linkLimits.maxOutgoing || this.#paused) return;
    this.#paused = true;
    this.#socket.pause();
  }

  readonly #written = (): void => {
    this.#unwritten -= 1;
    if (!this.#paused || this.#ended || this.#unwritten >= linkLimits.maxOutgoing / 2) return;
    this.#paused = false;
    this.#socket.resume();
  };

  #closed(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer.cancel();
    const registeredForMs =
      this.#registeredMs === null ? 0 : this.#options.clock.monotonicMs() - this.#registeredMs;
    this.#options.onEnd(this.#end ?? { why: 'lost', registeredForMs });
  }
}
