import { type Clock, FairleadError } from '@fairlead/base';
import { hostError } from '../errors.ts';

/** What ends a turn at once: whoever cancels it, or its own time. Dispose it when the turn is over. */
export class TurnSignal implements Disposable {
  readonly signal: AbortSignal;
  readonly #release: () => void;

  /** `timeoutMs`: absent is no time of its own. */
  constructor(clock: Clock, outer: AbortSignal, timeoutMs: number | undefined) {
    if (timeoutMs === undefined) {
      this.signal = outer;
      this.#release = () => {};
      return;
    }
    const controller = new AbortController();
    const cancel = () => controller.abort(outer.reason);
    const timer = clock.setTimer(timeoutMs, () => controller.abort(hostError('turn_timeout')));
    if (outer.aborted) cancel();
    else outer.addEventListener('abort', cancel, { once: true });
    this.signal = controller.signal;
    this.#release = () => {
      timer.cancel();
      outer.removeEventListener('abort', cancel);
    };
  }

  [Symbol.dispose](): void {
    this.#release();
  }
}

/** Why a turn was ended at once, as a code and safe words: those of the error that its signal was aborted with. */
export function abortOf(signal: AbortSignal): FairleadError {
  return signal.reason instanceof FairleadError ? signal.reason : hostError('turn_cancelled');
}
