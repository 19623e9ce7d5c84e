import { isJsonObject, type Json } from '@fairlead/base';
import { routineLimits } from '../limits.ts';
import { isZone } from '../usage/calendar-day.ts';
import { cronProblem, nextOfCron } from './cron-pattern.ts';

/** When a routine is due. Moments are milliseconds since 1970; `zone` is an IANA name. */
export type Trigger =
  | { readonly kind: 'cron'; readonly cron: string; readonly zone: string }
  /** Always this long after the end of the firing before it. */
  | { readonly kind: 'every'; readonly secs: number }
  | { readonly kind: 'at'; readonly at: number };

export type TriggerReading =
  | { readonly ok: true; readonly trigger: Trigger }
  | { readonly ok: false; readonly problem: string };

/** Reads a trigger as it is stored. A cron pattern without a zone is meant in `zone`. */
export function readTrigger(value: Json | undefined, zone: string): TriggerReading {
  if (!isJsonObject(value)) return refused('a trigger is {kind: cron, every or at, …}');
  switch (value['kind']) {
    case 'cron':
      return readCron(value['cron'], value['zone'] ?? zone);
    case 'every':
      return readEvery(value['secs']);
    case 'at':
      return readAt(value['at']);
    default:
      return refused('the kind of a trigger is cron, every or at');
  }
}

/**
 * The first due moment after `afterMs`; null where there is none. An interval counts from `afterMs`, the end of the firing before. A
 * one-shot is due at its moment, however long ago that is: whoever asks says whether it has been settled.
 */
export function nextDue(trigger: Trigger, afterMs: number): number | null {
  switch (trigger.kind) {
    case 'cron':
      return nextOfCron(trigger.cron, trigger.zone, afterMs);
    case 'every':
      return afterMs + trigger.secs * 1000;
    case 'at':
      return trigger.at;
  }
}

function readCron(cron: Json | undefined, zone: Json): TriggerReading {
  if (typeof cron !== 'string') return refused('a cron trigger has its pattern under cron');
  if (typeof zone !== 'string' || !isZone(zone)) return refused('the zone is no IANA time zone');
  const problem = cronProblem(cron, zone);
  return problem === undefined ? { ok: true, trigger: { kind: 'cron', cron, zone } } : refused(problem);
}

function readEvery(secs: Json | undefined): TriggerReading {
  if (typeof secs !== 'number' || !Number.isInteger(secs) || secs < 1 || secs > routineLimits.everyMaxSecs)
    return refused(`secs is a whole number of seconds, 1 to ${routineLimits.everyMaxSecs}`);
  return { ok: true, trigger: { kind: 'every', secs } };
}

function readAt(at: Json | undefined): TriggerReading {
  if (typeof at !== 'number' || !Number.isInteger(at) || at < 0 || at > routineLimits.momentMaxMs)
    return refused('at is a moment in milliseconds since 1970');
  return { ok: true, trigger: { kind: 'at', at } };
}

function refused(problem: string): TriggerReading {
  return { ok: false, problem };
}
