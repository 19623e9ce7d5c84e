import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../clock.ts';

/** A clock that moves only when told to. */
export interface FakeClock extends Clock {
  /** Moves on, firing due timers in order of their time; promises that are settled run in between. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly fire: () => void;
}

/** `around` runs each timer: for who watches what it opens. */
export function fakeClock(startMs: number, around: (fire: () => void) => void = (fire) => fire()): FakeClock {
  let nowMs = 0;
  let order = 0;
  const timers = new Set<Timer>();
  const due = (untilMs: number): Timer | undefined =>
    [...timers]
      .filter(({ dueMs }) => dueMs <= untilMs)
      .sort((left, right) => left.dueMs - right.dueMs || left.order - right.order)[0];
  return {
    monotonicMs: () => nowMs,
    wallMs: () => startMs + nowMs,
    setTimer(delayMs, fire) {
      order += 1;
      const timer: Timer = { dueMs: nowMs + Math.max(0, delayMs), order, fire };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      await nextTurn();
      for (let timer = due(untilMs); timer !== undefined; timer = due(untilMs)) {
        timers.delete(timer);
        nowMs = Math.max(nowMs, timer.dueMs);
        around(timer.fire);
        await nextTurn();
      }
      nowMs = untilMs;
    },
  };
}
