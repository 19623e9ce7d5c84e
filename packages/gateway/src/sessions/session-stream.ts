import type { ServerResponse } from 'node:http';
import type { PersonalClaim } from '../auth/tokens.ts';
import { answerHeaders } from '../http/answer.ts';
import { streamLimits } from '../limits.ts';
import type { StreamSubscription } from './session-port.ts';
import type { Reach } from './session-reach.ts';
import type { SessionStreamEvent } from './session-stream-event.ts';
import { frameOf, PING } from './stream-frame.ts';

/** Who reads a session. `reach` is asked before anything is told: agents may have joined. */
export type SessionReader = { readonly claim: PersonalClaim; readonly reach: Reach | undefined };

/** One reader of a session: writes what happens for as long as its token lives and reaches it, and it keeps up. */
export class SessionStream {
  readonly #response: ServerResponse;
  readonly #reader: SessionReader;
  readonly #closed: () => void;
  /** Frames that nobody has asked about yet, and the length of these and of those that are being asked about. */
  readonly #held: string[] = [];
  #heldLength = 0;
  #isAsking = false;
  #subscription: StreamSubscription | undefined;
  #isBehind = false;
  #isOver = false;

  /** `closed` is called once, when it is over, whoever ended it. */
  constructor(response: ServerResponse, reader: SessionReader, closed: () => void) {
    this.#response = response;
    this.#reader = reader;
    this.#closed = closed;
    response.once('close', () => this.end());
    response.on('error', () => this.end());
  }

  get tokenId(): string {
    return this.#reader.claim.tokenId;
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
    this.#tell(frameOf(event));
    return true;
  };

  ping(): void {
    if (this.#mayWrite() && !this.#isBehind) this.#tell(PING);
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
    if (!this.#isOver && !this.#reader.claim.isLive()) this.end();
    return !this.#isOver;
  }

  #tell(frame: string): void {
    const { reach } = this.#reader;
    if (reach === undefined) {
      this.#response.write(frame);
      return;
    }
    this.#held.push(frame);
    this.#heldLength += frame.length;
    if (!this.#isAsking) void this.#tellWithin(reach);
  }

  /** Each frame waits for the answer to a question that was asked after it came; those that come meanwhile share the next one. */
  async #tellWithin(reach: Reach): Promise<void> {
    this.#isAsking = true;
    while (this.#held.length > 0) {
      const frames = this.#held.splice(0).join('');
      const isReached = await reach();
      if (!this.#mayWrite()) return;
      if (!isReached) {
        this.end();
        return;
      }
      this.#heldLength -= frames.length;
      this.#response.write(frames);
      if (!this.#isFull()) this.#caughtUp();
    }
    this.#isAsking = false;
  }

  #isFull(): boolean {
    return this.#response.writableLength + this.#heldLength > streamLimits.behindBytes;
  }

  #caughtUp(): void {
    if (this.#isOver || this.#subscription === undefined || !this.#isBehind) return;
    this.#isBehind = false;
    this.#subscription.drained();
  }
}
