import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '@fairlead/base';
import type { Tokens } from '../auth/tokens.ts';
import { streamLimits } from '../limits.ts';
import { SessionExport } from './session-export.ts';
import { type SessionReader, SessionStream } from './session-stream.ts';

/** Every answer that goes on, streams and exports: they are counted, pinged, and ended with their token or with the gateway. */
export class SessionStreams {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #streams = new Set<SessionStream | SessionExport>();
  readonly #stopListening: () => void;
  #timer: Timer | null = null;
  #isClosed = false;

  constructor(options: {
    readonly clock: Clock;
    readonly tokens: Pick<Tokens, 'onRevoked'>;
    /** Of both together, at once. */
    readonly most: number;
  }) {
    this.#clock = options.clock;
    this.#most = options.most;
    this.#stopListening = options.tokens.onRevoked((tokenId) => {
      for (const stream of this.#streams) if (stream.tokenId === tokenId) stream.end();
    });
  }

  /** A place for one more reader, undefined where there is none. It counts until it ends. */
  add(response: ServerResponse, reader: SessionReader): SessionStream | undefined {
    if (this.#isFull) return undefined;
    const stream = new SessionStream(response, reader, () => this.#remove(stream));
    this.#take(stream);
    return stream;
  }

  /** The same for who reads all of a session. */
  addExport(response: ServerResponse, reader: SessionReader): SessionExport | undefined {
    if (this.#isFull) return undefined;
    const exported = new SessionExport(response, reader, () => this.#remove(exported));
    this.#take(exported);
    return exported;
  }

  /** Ends all of them and takes no more. */
  close(): void {
    this.#isClosed = true;
    this.#stopListening();
    for (const stream of this.#streams) stream.end();
  }

  get #isFull(): boolean {
    return this.#isClosed || this.#streams.size >= this.#most;
  }

  #take(stream: SessionStream | SessionExport): void {
    this.#streams.add(stream);
    this.#timer ??= this.#nextPing();
  }

  #remove(stream: SessionStream | SessionExport): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #nextPing(): Timer {
    return this.#clock.setTimer(
      streamLimits.pingMs,
      () => {
        this.#timer = this.#nextPing();
        for (const stream of this.#streams) stream.ping();
      },
      { unref: true },
    );
  }
}
