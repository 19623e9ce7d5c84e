import { routineLimits } from '../limits.ts';
import { slotsOfCron } from './cron-pattern.ts';
import type { MissedPolicy, Routine } from './routine.ts';
import { nextDue, type Trigger } from './trigger.ts';

/** What is to be done about a routine at a moment. */
export interface DueSlots {
  /** Slots to run, oldest first. */
  readonly run: readonly number[];
  /** Slots to write down as missed: the newest, where they are very many. */
  readonly missed: readonly number[];
  /** More were missed before those. */
  readonly isMoreMissed: boolean;
  /** The first slot that is not due yet; null where there is none, or where it counts from the end of a firing. */
  readonly next: number | null;
}

/**
 * Which slots of a routine are due between `dueMs`, the one that was next, and now. What was due at or before `missedUntilMs` counts as
 * missed however late it is, because nothing was to fire then.
 */
export function dueSlots(
  { trigger, missed: policy, jitterSecs }: Pick<Routine, 'trigger' | 'missed' | 'jitterSecs'>,
  dueMs: number,
  nowMs: number,
  missedUntilMs = Number.NEGATIVE_INFINITY,
): DueSlots {
  const { all, next, isCut } = slotsUntil(trigger, dueMs, nowMs);
  // What is delayed on purpose is not late.
  const graceMs = routineLimits.graceMs + jitterSecs * 1000;
  const isMissed = (due: number) => due <= missedUntilMs || nowMs - due > graceMs;
  const missed = all.filter(isMissed);
  // One run makes up for all: where one is in time, that is it.
  const isMadeUp = policy.policy === 'run_once' && missed.length < all.length;
  const chosen = new Set(isMadeUp ? [] : late(missed, policy, nowMs));
  const passed = missed.filter((due) => !chosen.has(due));
  return {
    run: all.filter((due) => !isMissed(due) || chosen.has(due)),
    missed: passed.slice(-routineLimits.missedRows),
    isMoreMissed: isCut || passed.length > routineLimits.missedRows,
    next,
  };
}

function late(missed: readonly number[], policy: MissedPolicy, nowMs: number): readonly number[] {
  switch (policy.policy) {
    case 'skip':
      return [];
    case 'run_once':
      return missed.slice(-1).filter((due) => nowMs - due <= policy.withinSecs * 1000);
    case 'catch_up':
      return missed.filter((due) => nowMs - due <= policy.windowSecs * 1000).slice(-policy.most);
  }
}

interface Slots {
  readonly all: readonly number[];
  /** There were more, before those. */
  readonly isCut: boolean;
  readonly next: number | null;
}

/** Every slot from the one that was next until now; where they are too many to go through, the newest. */
function slotsUntil(trigger: Trigger, dueMs: number, nowMs: number): Slots {
  // An interval has one slot at a time, and a one-shot one altogether.
  if (trigger.kind !== 'cron') return { all: [dueMs], next: null, isCut: false };
  const first = walk(trigger, dueMs, nowMs);
  if (first.next !== undefined) return { all: first.all, next: first.next, isCut: false };
  // Months of minutes: only as much as may matter is gone through, estimated by how far apart they were.
  const newest = first.all.at(-1) ?? dueMs;
  const spacingMs = (newest - dueMs) / first.all.length;
  const back = walk(trigger, Math.max(newest, nowMs - spacingMs * (routineLimits.slotsWalked / 2)), nowMs);
  return { all: back.all, next: back.next ?? nextDue(trigger, nowMs), isCut: true };
}

/** The slots from `fromMs` until `untilMs`, with the one after; `next` is undefined where they are too many. */
function walk(
  { cron, zone }: Trigger & { readonly kind: 'cron' },
  fromMs: number,
  untilMs: number,
): { readonly all: readonly number[]; readonly next: number | null | undefined } {
  const all: number[] = [];
  for (const due of slotsOfCron(cron, zone, fromMs - 1)) {
    if (due > untilMs) return { all, next: due };
    if (all.length === routineLimits.slotsWalked) return { all, next: undefined };
    all.push(due);
  }
  return { all, next: null };
}
