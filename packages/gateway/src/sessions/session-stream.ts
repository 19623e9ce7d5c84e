import type { ServerResponse } from 'node:http';
import type { PersonalClaim } from '../auth/tokens.ts';
import { answerHeaders } from '../http/answer.ts';
import { streamLimits } from '../limits.ts';
import type { StreamSubscription } from './session-port.ts';
import type { SessionStreamEvent } from './session-stream-event.ts';
import { frameOf, PING } from './stream-frame.ts';

/** One reader of a session: writes what happens for as long as its token lives and it keeps up. */
export class SessionStream {
  readonly #response: ServerResponse;
  readonly #claim: PersonalClaim;
  readonly #closed: () => void;
  #subscription: StreamSubscription | undefined;
  #isBehind = false;
  #isOver = false;

  /** `closed` is called once, when it is over, whoever ended it. */
  constructor(response: ServerResponse, claim: PersonalClaim, closed: () => void) {
    this.#response = response;
    this.#claim = claim;
    this.#closed = closed;
    response.once('close', () => this.end());
    response.on('error', () => this.end());
  }

  get tokenId(): string {
    return this.#claim.tokenId;
  }

  /** The head of the answer: from here on it is a stream. */
  begin(): void {
    this.#response.writeHead(200, {
      ...answerHeaders,
      'content-type': 'text/event-stream; charset=utf-8',
      // What a proxy collects before it passes it on comes too late.
      'x-accel-buffering': 'no',
    });
    this.#response.flushHeaders();
  }

  /** What its events come from; it is closed with the stream. */
  follow(subscription: StreamSubscription): void {
    this.#subscription = subscription;
    if (this.#isOver) subscription.close();
    // It had drained before the subscription was there to be told.
    else if (this.#isBehind && !this.#isFull()) this.#caughtUp();
  }

  /** False where its reader is too far behind to be told. */
  readonly take = (event: SessionStreamEvent): boolean => {
    if (!this.#mayWrite() || this.#isBehind) return false;
    if (this.#isFull()) {
      this.#isBehind = true;
      this.#response.once('drain', () => this.#caughtUp());
      return false;
    }
    this.#response.write(frameOf(event));
    return true;
  };

  ping(): void {
    if (this.#mayWrite() && !this.#isBehind) this.#response.write(PING);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#subscription?.close();
    this.#response.end();
    this.#closed();
  }

  /** A token that has ended ends the stream, before anything more is told. */
  #mayWrite(): boolean {
    if (!this.#isOver && !this.#claim.isLive()) this.end();
    return !this.#isOver;
  }

  #isFull(): boolean {
    return this.#response.writableLength > streamLimits.behindBytes;
  }

  #caughtUp(): void {
    if (this.#isOver || this.#subscription === undefined || !this.#isBehind) return;
    this.#isBehind = false;
    this.#subscription.drained();
  }
}
