import { type Clock, delay, FairleadError, type Timer } from '@fairlead/base';
import { type InventoryFrame, linkLimits, type RegisterFrame } from '@fairlead/protocol';
import { runnerErrors } from '../errors.ts';
import { limits } from '../limits.ts';
import type { RunnerLog, RunnerLogFields } from '../log.ts';
import { LinkConnection, type LinkEnd, type RequestHandler } from './link-connection.ts';
import type { ConnectLink, LinkTarget } from './link-socket.ts';
import { ReconnectBackoff } from './reconnect-backoff.ts';

export type LinkClientOptions = {
  readonly connect: ConnectLink;
  readonly target: LinkTarget;
  /** Who registers; the connection's number is added. */
  readonly identity: Omit<RegisterFrame, 'type' | 'connection_epoch'>;
  readonly clock: Clock;
  readonly log: RunnerLog;
  readonly handler: RequestHandler;
};

/**
 * Keeps one link to a gateway: dials, registers, and dials again with a backoff whenever it is lost. There is one connection at a
 * time: the next is dialled when the last has closed, and what still comes out of that one is dropped, so that whoever registers
 * can say for certain what has come. Nothing is ever sent twice: the answer to a request whose connection is gone is dropped. Rules: docs/reference/native-plugin-protocol.md §15.
 */
export class LinkClient implements AsyncDisposable {
  /** Resolves at the first registration; never rejects. */
  readonly registered: Promise<void>;
  /** Resolves with what makes trying again pointless: a refused token, a runner id that stays taken. */
  readonly fatal: Promise<FairleadError>;
  readonly #options: LinkClientOptions;
  readonly #backoff = new ReconnectBackoff();
  readonly #registered = Promise.withResolvers<void>();
  readonly #fatal = Promise.withResolvers<FairleadError>();
  #target: LinkTarget;
  #identity: LinkClientOptions['identity'];
  /** The identity of the connection's `register`. */
  #dialledAs: LinkClientOptions['identity'];
  #epoch = 0;
  #connection: LinkConnection | null = null;
  #retry: Timer | null = null;
  #takenSinceMs: number | null = null;
  #closed = false;
  #disconnected = Promise.withResolvers<void>();

  constructor(options: LinkClientOptions) {
    this.#options = options;
    this.#target = options.target;
    this.#identity = options.identity;
    this.#dialledAs = options.identity;
    this.registered = this.#registered.promise;
    this.fatal = this.#fatal.promise;
    this.#dial();
  }

  /** Whether the gateway has this Runner registered now. */
  get connected(): boolean {
    return this.#connection?.registered === true;
  }

  /** From now on the Runner is shown like this: at the gateway at once, where it is registered. Nothing else of the link changes. */
  show(inventory: Omit<InventoryFrame, 'type'>): void {
    const { name: _name, ...identity } = this.#identity;
    this.#identity = { ...identity, ...inventory };
    this.#tell();
  }

  /** From the next dialling on, how long it may take, in milliseconds. */
  set timeoutMs(timeoutMs: number) {
    this.#target = { ...this.#target, timeoutMs };
  }

  /** Says good-bye and closes; after half a second at the latest. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#retry?.cancel();
    if (this.#connection === null) return;
    this.#connection.goodbye();
    const patience = new AbortController();
    await Promise.race([
      this.#disconnected.promise,
      delay(this.#options.clock, limits.goodbyeMs, patience.signal),
    ]);
    patience.abort();
    this.#connection?.terminate();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #dial(): void {
    this.#epoch += 1;
    this.#disconnected = Promise.withResolvers<void>();
    const { connect, clock, handler } = this.#options;
    const identity = this.#identity;
    this.#dialledAs = identity;
    this.#connection = new LinkConnection({
      connect,
      target: this.#target,
      clock,
      handler,
      register: { type: 'register', ...identity, connection_epoch: this.#epoch },
      onRegistered: () => this.#onRegistered(),
      onEnd: (end) => this.#onEnd(end),
    });
  }

  #onRegistered(): void {
    this.#takenSinceMs = null;
    this.#options.log('info', 'link.registered', { epoch: this.#epoch });
    this.#registered.resolve();
    this.#tell();
  }

  /** What has changed since the connection was dialled. */
  #tell(): void {
    if (!this.connected || this.#dialledAs === this.#identity) return;
    this.#dialledAs = this.#identity;
    const { name, projects } = this.#identity;
    this.#connection?.inventory({ type: 'inventory', ...(name === undefined ? {} : { name }), projects });
  }

  #onEnd(end: LinkEnd): void {
    this.#connection = null;
    this.#disconnected.resolve();
    if (this.#closed) return;
    const fatal = fatalCode(end);
    if (fatal !== null) {
      this.#giveUp(fatal);
      return;
    }
    let delayMs = this.#backoff.nextDelayMs(end.why === 'lost' ? end.registeredForMs : 0);
    if (end.why === 'error' && end.code === 'runner_id_taken') {
      const nowMs = this.#options.clock.monotonicMs();
      this.#takenSinceMs ??= nowMs;
      const leftMs = this.#takenSinceMs + linkLimits.takenRetryMs - nowMs;
      if (leftMs <= 0) {
        this.#giveUp('runner_id_taken');
        return;
      }
      delayMs = Math.min(delayMs, leftMs);
    }
    this.#options.log('warn', 'link.retry', { ...reasonOf(end), retry_ms: delayMs });
    this.#retry = this.#options.clock.setTimer(delayMs, () => this.#dial());
  }

  #giveUp(code: keyof typeof runnerErrors): void {
    const { message } = runnerErrors[code];
    this.#options.log('error', 'link.ended', { code, message });
    this.#fatal.resolve(new FairleadError(code, message));
  }
}

function fatalCode(end: LinkEnd): 'runner_unauthorized' | 'runner_forbidden' | null {
  if (end.why === 'refused' && end.status === 401) return 'runner_unauthorized';
  if (end.why === 'refused' && end.status === 403) return 'runner_forbidden';
  return end.why === 'error' && end.code === 'register_forbidden' ? 'runner_forbidden' : null;
}

function reasonOf(end: LinkEnd): RunnerLogFields {
  switch (end.why) {
    case 'refused':
      return { reason: 'refused', status: end.status };
    case 'error':
      return { reason: 'error', code: end.code };
    case 'lost':
      return { reason: end.registeredForMs > 0 ? 'lost' : 'unreachable' };
  }
}
