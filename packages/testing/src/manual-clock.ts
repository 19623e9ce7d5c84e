import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@fairlead/base';

/** A clock that moves only when told to. */
export type ManualClock = Clock & {
  /**
   * Moves on by `byMs`, firing due timers in order of their time (those of one time in the order they were set),
   * including timers that were set while firing. Before, between and after, pending promise reactions get their turn.
   */
  advance(byMs: number): Promise<void>;
  /** Moves only the wall clock, as an administrator or NTP does; may be negative. */
  jumpWall(byMs: number): void;
  /** Timers that have neither fired nor been cancelled. */
  readonly pendingTimers: number;
};

type Entry = { readonly dueMs: number; readonly order: number; readonly fire: () => void };

/** A clock for tests. Monotonic time starts at 0, the wall clock at `startWallMs` (default 2026-01-01T00:00:00Z). */
export function manualClock(options: { readonly startWallMs?: number } = {}): ManualClock {
  let nowMs = 0;
  let wallOffsetMs = options.startWallMs ?? Date.UTC(2026, 0, 1);
  let order = 0;
  const entries = new Set<Entry>();

  const earliest = (untilMs: number): Entry | undefined => {
    let first: Entry | undefined;
    for (const entry of entries) {
      if (entry.dueMs > untilMs) continue;
      if (
        first === undefined ||
        entry.dueMs < first.dueMs ||
        (entry.dueMs === first.dueMs && entry.order < first.order)
      )
        first = entry;
    }
    return first;
  };

  return {
    monotonicMs: () => nowMs,
    wallMs: () => nowMs + wallOffsetMs,
    setTimer(delayMs, fire) {
      order += 1;
      const entry = { dueMs: nowMs + Math.max(0, delayMs), order, fire };
      entries.add(entry);
      return { cancel: () => void entries.delete(entry) };
    },
    async advance(byMs) {
      const targetMs = nowMs + byMs;
      await nextTurn();
      for (let entry = earliest(targetMs); entry !== undefined; entry = earliest(targetMs)) {
        entries.delete(entry);
        nowMs = Math.max(nowMs, entry.dueMs);
        entry.fire();
        await nextTurn();
      }
      nowMs = Math.max(nowMs, targetMs);
    },
    jumpWall(byMs) {
      wallOffsetMs += byMs;
    },
    get pendingTimers() {
      return entries.size;
    },
  };
}
