/** A timer that has not fired yet. */
export type Timer = { cancel(): void };

/** Time as a parameter. Deadlines and intervals use `monotonicMs`; records show `wallMs`. */
export type Clock = {
  /** Milliseconds that never go back; only differences mean anything. */
  monotonicMs(): number;
  /** Milliseconds since 1970 by the machine's wall clock. */
  wallMs(): number;
  /** Calls `fire` once, `delayMs` (0 or more) from now. An unreferenced timer does not keep the process alive. */
  setTimer(delayMs: number, fire: () => void, options?: { readonly unref?: boolean }): Timer;
};

/** The machine's own clock. */
export function systemClock(): Clock {
  return {
    monotonicMs: () => performance.now(),
    wallMs: () => Date.now(),
    setTimer(delayMs, fire, options) {
      const timer = setTimeout(fire, delayMs);
      if (options?.unref === true) timer.unref();
      return { cancel: () => clearTimeout(timer) };
    },
  };
}

/** Resolves after `delayMs`, or as soon as `signal` aborts. */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = () => {
      timer.cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimer(delayMs, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}
