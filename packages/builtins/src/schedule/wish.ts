import type { JsonObject } from '@fairlead/extension';
import { toolFault } from '../errors.ts';
import type { ScheduleWish } from '../peer/schedules-peer.ts';

/** What tools and the command say of a schedule. */
export interface WishArguments {
  readonly cron?: string;
  readonly zone?: string;
  readonly every_secs?: number;
  readonly at?: string;
  readonly task?: string;
  readonly target?: 'pinned' | 'fresh';
  readonly enabled?: boolean;
  readonly max_fires?: number;
  readonly expires_at?: string;
}

/** Bounds that may be taken away. */
const CLEARED = 'none';

/** The wish in the members of the row. `session`: where a pinned one is set. Throws `schedule_time_invalid`. */
export function wishOf(given: WishArguments, session: string): ScheduleWish {
  const { task, target, enabled, max_fires: maxFires, expires_at: expiresAt } = given;
  const trigger = triggerOf(given);
  return {
    ...(trigger === undefined ? {} : { trigger }),
    ...(task === undefined ? {} : { task }),
    ...(target === undefined
      ? {}
      : { target: target === 'fresh' ? { kind: 'fresh' } : { kind: 'pinned', session } }),
    ...(enabled === undefined ? {} : { enabled }),
    // 0 takes the bound away: a schedule that never fires is one that is off.
    ...(maxFires === undefined ? {} : { max_fires: maxFires === 0 ? null : maxFires }),
    ...(expiresAt === undefined
      ? {}
      : { expires_at: expiresAt === CLEARED ? null : momentOf(expiresAt, 'expires_at') }),
  };
}

function triggerOf({ cron, zone, every_secs: secs, at }: WishArguments): JsonObject | undefined {
  const given = [cron, secs, at].filter((one) => one !== undefined).length;
  if (given > 1)
    throw toolFault('not_started', 'schedule_time_invalid', 'cron, every_secs and at are three ways');
  if (cron !== undefined) return { kind: 'cron', cron, ...(zone === undefined ? {} : { zone }) };
  if (secs !== undefined) return { kind: 'every', secs };
  return at === undefined ? undefined : { kind: 'at', at: momentOf(at, 'at') };
}

/** RFC 3339 with its offset: without one nobody knows which moment is meant. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i;

function momentOf(text: string, name: string): number {
  const ms = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw toolFault(
      'not_started',
      'schedule_time_invalid',
      `${name} is a moment such as 2026-05-01T09:00:00Z`,
    );
  return ms;
}
