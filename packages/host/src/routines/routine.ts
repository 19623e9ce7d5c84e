import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { routineLimits } from '../limits.ts';
import { readTrigger, type Trigger } from './trigger.ts';

/** What becomes of a slot that nobody could run in time. */
export type MissedPolicy =
  /** It is written down and passed over. */
  | { readonly policy: 'skip' }
  /** The newest of them runs late, where that is within `within_secs` and no other is in time. */
  | { readonly policy: 'run_once'; readonly withinSecs: number }
  /** The newest `most` within the window run, oldest first. */
  | { readonly policy: 'catch_up'; readonly windowSecs: number; readonly most: number };

/** What a slot that is due does while the one before it still runs. */
type Overlap = 'skip' | 'allow';

/** A routine as the engine sees it, whoever keeps its row. */
export interface Routine {
  /** Whose handler fires, and which of its routines. */
  readonly extension: string;
  readonly name: string;
  readonly payload: Json;
  readonly trigger: Trigger;
  readonly enabled: boolean;
  /** Failures in a row that switch it off; 0 never does. */
  readonly maxFailures: number;
  readonly missed: MissedPolicy;
  readonly overlap: Overlap;
  /** The longest delay that is put upon each slot, to spread what is due at one moment. */
  readonly jitterSecs: number;
}

export type RoutineReading =
  | { readonly ok: true; readonly routine: Routine }
  | { readonly ok: false; readonly problem: string };

/** Reads a row of a `routines` table, from anybody. Unknown members are ignored. */
export function readRoutine(value: Json, zone: string): RoutineReading {
  if (!isJsonObject(value)) return { ok: false, problem: 'a routine is an object' };
  const { extension, name, payload = null } = value;
  if (typeof extension !== 'string' || typeof name !== 'string' || extension === '' || name === '')
    return { ok: false, problem: 'a routine names its extension and which of its routines' };
  const timing = readTiming(value, zone);
  if (!timing.ok) return timing;
  return { ok: true, routine: { extension, name, payload, ...timing.value } };
}

/** When a routine runs and what holds around it. */
export type Timing = Omit<Routine, 'extension' | 'name' | 'payload'>;

export type TimingReading =
  | { readonly ok: true; readonly value: Timing }
  | { readonly ok: false; readonly problem: string };

/** The members that a routine and an agent's schedule have in common. */
export function readTiming(value: JsonObject, zone: string): TimingReading {
  const trigger = readTrigger(value['trigger'], zone);
  if (!trigger.ok) return trigger;
  const missed = readMissed(value['missed'], trigger.trigger);
  if (missed === undefined)
    return { ok: false, problem: 'missed is skip, run_once or catch_up with its bounds' };
  const { enabled = true, max_failures: maxFailures = routineLimits.maxFailures } = value;
  const { overlap = 'skip', jitter_secs: jitterSecs = 0 } = value;
  if (typeof enabled !== 'boolean') return { ok: false, problem: 'enabled is true or false' };
  if (!isWhole(maxFailures, 0, routineLimits.maxFailuresMax))
    return { ok: false, problem: `max_failures is a whole number, 0 to ${routineLimits.maxFailuresMax}` };
  if (overlap !== 'skip' && overlap !== 'allow') return { ok: false, problem: 'overlap is skip or allow' };
  if (!isWhole(jitterSecs, 0, routineLimits.jitterMaxSecs))
    return { ok: false, problem: `jitter_secs is a whole number, 0 to ${routineLimits.jitterMaxSecs}` };
  return {
    ok: true,
    value: { trigger: trigger.trigger, enabled, maxFailures, missed, overlap, jitterSecs },
  };
}

function readMissed(value: Json | undefined, trigger: Trigger): MissedPolicy | undefined {
  const { dayMs } = routineLimits;
  if (value === undefined || value === null)
    return trigger.kind === 'at' ? { policy: 'run_once', withinSecs: dayMs / 1000 } : { policy: 'skip' };
  if (value === 'skip') return { policy: 'skip' };
  if (value === 'run_once') return { policy: 'run_once', withinSecs: dayMs / 1000 };
  if (!isJsonObject(value)) return undefined;
  const { policy, within_secs: withinSecs = dayMs / 1000, window_secs: windowSecs, most } = value;
  if (policy === 'skip') return { policy };
  if (policy === 'run_once' && isWhole(withinSecs, 1, routineLimits.everyMaxSecs))
    return { policy, withinSecs };
  if (
    policy === 'catch_up' &&
    isWhole(windowSecs, 1, routineLimits.everyMaxSecs) &&
    isWhole(most, 1, routineLimits.catchUpMost)
  )
    return { policy, windowSecs, most };
  return undefined;
}

function isWhole(value: Json | undefined, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}
