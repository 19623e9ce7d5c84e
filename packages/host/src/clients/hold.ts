import type { Caller } from '@fairlead/dispatch';

/** The time in which a call of a client may still end because of its caller: until it has begun. */
export class Hold implements Disposable {
  /** Aborts when the caller has gone before the call began, and when the host halts, whenever that is. */
  readonly signal: AbortSignal;
  readonly #stop: (() => void) | undefined;

  constructor(caller: Caller | undefined, halted: AbortSignal) {
    const gone = new AbortController();
    this.signal = AbortSignal.any([gone.signal, halted]);
    this.#stop = caller?.onGone(() => gone.abort());
  }

  /** What has begun goes on, whoever waits for it. */
  begun(): void {
    this.#stop?.();
  }

  [Symbol.dispose](): void {
    this.begun();
  }
}
