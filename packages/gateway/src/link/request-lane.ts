import { BoundedQueue, type Clock, type Outcome } from '@fairlead/base';
import type { RunnerRequestOptions } from '@fairlead/dispatch';
import {
  checkResponse,
  encodeLinkFrame,
  linkLimits,
  outcomeOf,
  type ResultFrame,
  type RunnerPayload,
  type RunnerRequest,
} from '@fairlead/protocol';
import { hubLimits } from '../limits.ts';
import type { LinkSocket } from './link-socket.ts';
import {
  certaintyWithoutAnswer,
  invalidResponse,
  linkFailure,
  type PendingRequest,
} from './pending-request.ts';

/**
 * The requests of one registered connection. They are handed to the socket while it takes them and wait in a bounded queue
 * otherwise; what ends without an answer is `not_started` while it waited, `outcome_unknown` once handed. Nothing is sent twice.
 */
export class RequestLane {
  readonly #socket: LinkSocket;
  readonly #clock: Clock;
  /** Handed over and not yet answered, by id. */
  readonly #handed = new Map<number, PendingRequest>();
  readonly #queue = new BoundedQueue<PendingRequest>(linkLimits.maxQueued);
  #lastId = 0;
  #unwritten = 0;
  #isOpen = true;

  constructor(socket: LinkSocket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
  }

  /** Takes a request; `settle` is called once with what became of it. */
  submit(request: RunnerRequest, options: RunnerRequestOptions, settle: PendingRequest['settle']): void {
    this.#lastId += 1;
    const pending: PendingRequest = {
      id: this.#lastId,
      request,
      call: options.call,
      deadlineAtMs: this.#clock.monotonicMs() + options.budgetMs,
      isHanded: false,
      timer: null,
      settle,
    };
    if (this.#queue.size === 0 && this.#takesMore()) this.#hand(pending);
    else if (!this.#queue.offer(pending)) {
      settle(linkFailure('not_started', 'plugin_gateway_unavailable'));
      return;
    }
    pending.timer = this.#clock.setTimer(options.budgetMs, () => this.#expire(pending));
    this.pump();
  }

  /** Settles the request that a result belongs to. False when nobody waits for it. */
  answer(frame: ResultFrame): boolean {
    const pending = this.#take(frame.id);
    if (pending === undefined) return false;
    const isAnswer = checkResponse(pending.request, frame.response);
    this.#settle(pending, isAnswer ? outcomeOf(frame.response) : invalidResponse());
    this.pump();
    return true;
  }

  /** Settles the request whose result has no form that can be read. False when nobody waits for it. */
  answerUnreadable(id: number): boolean {
    const pending = this.#take(id);
    if (pending === undefined) return false;
    this.#settle(pending, invalidResponse());
    this.pump();
    return true;
  }

  /** Hands over what waits, as far as the socket takes it. To be called when the socket may take more. */
  pump(): void {
    while (this.#queue.size > 0 && this.#takesMore()) {
      const next = this.#queue.take();
      if (next !== undefined) this.#hand(next);
    }
  }

  /** The socket is gone: everything has its outcome when this returns. */
  abandon(): void {
    this.#isOpen = false;
    const left = [...this.#handed.values(), ...this.#queue.drain()];
    this.#handed.clear();
    for (const pending of left) {
      this.#settle(pending, linkFailure(certaintyWithoutAnswer(pending), 'runner_unavailable'));
    }
  }

  #takesMore(): boolean {
    return (
      this.#isOpen &&
      this.#socket.isOpen &&
      this.#unwritten < linkLimits.maxOutgoing &&
      this.#handed.size < hubLimits.unanswered &&
      this.#socket.bufferedBytes < hubLimits.outgoingBytes
    );
  }

  #hand(pending: PendingRequest): void {
    const leftMs = Math.max(0, Math.floor(pending.deadlineAtMs - this.#clock.monotonicMs()));
    const head = { type: 'request', id: pending.id, deadline_ms: leftMs, request: pending.request } as const;
    const text = encodeLinkFrame(pending.call === undefined ? head : { ...head, call: pending.call });
    this.#handed.set(pending.id, pending);
    this.#unwritten += 1;
    pending.isHanded = true;
    this.#socket.send(text, this.#written);
  }

  readonly #written = (): void => {
    this.#unwritten -= 1;
    this.pump();
  };

  #expire(pending: PendingRequest): void {
    pending.timer = null;
    const certainty = certaintyWithoutAnswer(pending);
    if (pending.isHanded) this.#handed.delete(pending.id);
    else this.#queue.remove(pending);
    this.#settle(pending, linkFailure(certainty, 'plugin_gateway_timeout'));
    this.pump();
  }

  #take(id: number): PendingRequest | undefined {
    const pending = this.#handed.get(id);
    this.#handed.delete(id);
    return pending;
  }

  #settle(pending: PendingRequest, outcome: Outcome<RunnerPayload>): void {
    pending.timer?.cancel();
    pending.timer = null;
    pending.settle(outcome);
  }
}
