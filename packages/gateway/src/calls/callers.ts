import type { ServerResponse } from 'node:http';
import type { Caller } from '@fairlead/dispatch';
import type { PersonalClaim, Tokens } from '../auth/tokens.ts';

type Waiting = { readonly tokenId: string; readonly gone: () => void };

/**
 * Who waits for the answers of calls and runs. Whoever must know when nobody does any more is told at once: the connection is gone, the
 * token was revoked, the gateway stops. Nothing is made for what does not ask.
 */
export class Callers {
  readonly #waiting = new Set<Waiting>();
  readonly #stop: () => void;
  #isStopping = false;

  constructor(tokens: Pick<Tokens, 'onRevoked'>) {
    this.#stop = tokens.onRevoked((tokenId) => this.#end((waiting) => waiting.tokenId === tokenId));
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Who asks with `claim` and waits for `response`. */
  of({ tokenId, name, isLive }: PersonalClaim, response: ServerResponse): Caller {
    return {
      name,
      isLive,
      onGone: (listener) => {
        if (this.#isStopping || !isLive() || hasLeft(response)) {
          listener();
          return () => {};
        }
        const left = () => {
          if (hasLeft(response)) waiting.gone();
        };
        const stop = () => {
          this.#waiting.delete(waiting);
          response.removeListener('close', left);
        };
        const waiting = {
          tokenId,
          gone: () => {
            stop();
            listener();
          },
        };
        this.#waiting.add(waiting);
        response.once('close', left);
        return stop;
      },
    };
  }

  /** What is held ends now: nobody is to wait for a gateway that stops. */
  close(): void {
    this.#isStopping = true;
    this.#stop();
    this.#end(() => true);
  }

  #end(which: (waiting: Waiting) => boolean): void {
    for (const waiting of [...this.#waiting]) if (which(waiting)) waiting.gone();
  }
}

/** Closed before the answer was written. */
function hasLeft(response: ServerResponse): boolean {
  return response.closed && !response.writableFinished;
}
