/** Time as a parameter; the clock of @fairlead/base is one. */
export interface Clock {
  /** Milliseconds that never go back; only differences mean anything. */
  monotonicMs(): number;
  /** Milliseconds since 1970 by the wall clock. */
  wallMs(): number;
  /** Calls `fire` once, `delayMs` from now. */
  setTimer(delayMs: number, fire: () => void): { cancel(): void };
}

/** The machine's own time. */
export function machineClock(): Clock {
  return {
    monotonicMs: () => performance.now(),
    wallMs: () => Date.now(),
    setTimer(delayMs, fire) {
      const timer = setTimeout(fire, delayMs);
      return { cancel: () => clearTimeout(timer) };
    },
  };
}
