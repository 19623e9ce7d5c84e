import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { routineLimits } from '../limits.ts';
import { type RoutineReading, readTiming, type Timing } from './routine.ts';

/** The extension that owns the handler of agents' schedules, and the routine that fires them. */
export const SCHEDULE_HANDLER = Object.freeze({ extension: 'agent_schedule', name: 'fire' });

/** What an agent is to do, and when. */
export interface Schedule extends Timing {
  /** What the agent is told. */
  readonly task: string;
  readonly target: { readonly kind: 'fresh' } | { readonly kind: 'pinned'; readonly session: string };
  /** Fires of its generation that there may be. */
  readonly maxFires?: number;
  /** What is due at or after it does not fire; milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Fires are counted from the last change that said so. */
  readonly generation: number;
}

export type ScheduleReading =
  | { readonly ok: true; readonly schedule: Schedule }
  | { readonly ok: false; readonly problem: string };

/** Reads a row of an agent's `schedules`, from anybody. */
export function readScheduleRow(value: Json, zone: string): ScheduleReading {
  if (!isJsonObject(value)) return { ok: false, problem: 'a schedule is an object' };
  const timing = readTiming(value, zone);
  if (!timing.ok) return timing;
  const { task, max_fires: maxFires, expires_at: expiresAt, generation = 1 } = value;
  if (typeof task !== 'string' || task.trim() === '' || Buffer.byteLength(task) > routineLimits.taskBytes)
    return { ok: false, problem: `the task is text of at most ${routineLimits.taskBytes} bytes` };
  const target = readTarget(value['target']);
  if (target === undefined)
    return { ok: false, problem: 'the target is {kind: fresh} or {kind: pinned, session}' };
  if (!isAbsentOrWhole(maxFires, 1)) return { ok: false, problem: 'max_fires is a whole number, 1 or more' };
  if (!isAbsentOrWhole(expiresAt, 0)) return { ok: false, problem: 'expires_at is milliseconds since 1970' };
  if (typeof generation !== 'number' || !Number.isSafeInteger(generation) || generation < 1)
    return { ok: false, problem: 'generation is a whole number, 1 or more' };
  return {
    ok: true,
    schedule: {
      ...timing.value,
      task,
      target,
      generation,
      ...(typeof maxFires === 'number' ? { maxFires } : {}),
      ...(typeof expiresAt === 'number' ? { expiresAt } : {}),
    },
  };
}

/** A schedule as the engine sees it. */
export function readSchedule(agent: string, id: string, value: Json, zone: string): RoutineReading {
  const reading = readScheduleRow(value, zone);
  if (!reading.ok) return reading;
  const { trigger, enabled, maxFailures, missed, overlap, jitterSecs } = reading.schedule;
  const timing: Timing = { trigger, enabled, maxFailures, missed, overlap, jitterSecs };
  const payload: JsonObject = { agent, schedule: id };
  return { ok: true, routine: { ...SCHEDULE_HANDLER, payload, ...timing } };
}

function readTarget(value: Json | undefined): Schedule['target'] | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, session } = value;
  if (kind === 'fresh') return { kind };
  return kind === 'pinned' && typeof session === 'string' ? { kind, session } : undefined;
}

function isAbsentOrWhole(value: Json | undefined, min: number): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min;
}
