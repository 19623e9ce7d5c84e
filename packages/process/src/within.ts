import type { Clock } from '@fairlead/base';

/** Waits for `event`, `limitMs` at most; null: just that long. True when the event came first. */
export function within(clock: Clock, limitMs: number, event: Promise<unknown> | null): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(limitMs, () => resolve(false));
    const came = (): void => {
      timer.cancel();
      resolve(true);
    };
    event?.then(came, came);
  });
}
