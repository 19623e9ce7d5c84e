import type { JsonObject } from '@fairlead/base';
import { type ConfigurationReading, readConfiguration, type TableReader } from '../configuration/table.ts';
import { routineLimits } from '../limits.ts';
import { readScheduleRow } from './schedule.ts';
import { isScheduleId } from './schedule-book.ts';

/** One `[[schedules]]` of `fairlead.toml`: it is written once, and then the agent's own. */
export interface ScheduleTable {
  /** An agent, by name. */
  readonly agent: string;
  readonly id: string;
  /** The members of its row. */
  readonly row: JsonObject;
}

/** The keys of `fairlead.toml` that are read here. */
export const scheduleKeys: readonly string[] = ['schedules'];

const KEYS = [
  ...['agent', 'id', 'cron', 'every_secs', 'at', 'zone', 'task', 'target', 'session', 'enabled'],
  ...['max_fires', 'expires_at', 'missed', 'jitter_secs', 'max_failures'],
];

/**
 * Reads `[[schedules]]` of a parsed `fairlead.toml`. A key that is not known refuses the file: a misspelt bound would leave none.
 * `zone`: where a pattern without one is meant.
 */
export function readSchedules(
  document: Readonly<Record<string, unknown>>,
  zone: string,
): ConfigurationReading<readonly ScheduleTable[]> {
  return readConfiguration(document, (root) => {
    const seen = new Set<string>();
    return root.tables('schedules', routineLimits.fileSchedules, '[[schedules]]').map((table) => {
      const schedule = scheduleIn(table, zone);
      const key = `${schedule.agent.toLowerCase()} ${schedule.id}`;
      if (seen.has(key)) table.refuse('id', 'is the id of another schedule of this agent, too');
      seen.add(key);
      return schedule;
    });
  });
}

function scheduleIn(table: TableReader, zone: string): ScheduleTable {
  table.refuseUnknown(KEYS);
  const agent =
    table.text('agent', 64, 'must be the name of an agent') ?? table.refuse('agent', 'is missing');
  const id = table.text('id', 64, 'must be a short name') ?? table.refuse('id', 'is missing');
  if (!isScheduleId(id)) table.refuse('id', 'must be letters, digits, - and _');
  const task =
    table.text('task', routineLimits.taskBytes, 'must be text', /\S/u) ?? table.refuse('task', 'is missing');
  const bounds = {
    max_fires: table.whole('max_fires', 1, Number.MAX_SAFE_INTEGER),
    expires_at: momentIn(table, 'expires_at'),
    missed: table.word('missed', ['skip', 'run_once']),
    jitter_secs: table.whole('jitter_secs', 0, routineLimits.jitterMaxSecs),
    max_failures: table.whole('max_failures', 0, routineLimits.maxFailuresMax),
  };
  const row: JsonObject = {
    trigger: triggerIn(table),
    task,
    target: targetIn(table),
    enabled: table.flag('enabled') ?? true,
    generation: 1,
    ...Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined)),
  };
  const reading = readScheduleRow(row, zone);
  if (!reading.ok) table.refuse('id', reading.problem);
  return { agent, id, row };
}

function triggerIn(table: TableReader): JsonObject {
  const given = ['cron', 'every_secs', 'at'].filter((key) => table.has(key));
  if (given.length !== 1) table.refuse('id', 'needs one of cron, every_secs and at');
  const cron = table.text('cron', routineLimits.patternLength, 'must be a cron pattern');
  const zone = table.text('zone', 64, 'must be the name of a time zone, such as Europe/Berlin');
  if (cron !== undefined) return { kind: 'cron', cron, ...(zone === undefined ? {} : { zone }) };
  const secs = table.whole('every_secs', 1, routineLimits.everyMaxSecs);
  if (secs !== undefined) return { kind: 'every', secs };
  return { kind: 'at', at: momentIn(table, 'at') ?? 0 };
}

function targetIn(table: TableReader): JsonObject {
  const kind = table.word('target', ['fresh', 'pinned']) ?? 'fresh';
  const session = table.text('session', 64, 'must be the id of a session', /^ses_[A-Za-z0-9_-]{43}$/);
  if (kind === 'fresh') return { kind };
  return {
    kind,
    session: session ?? table.refuse('session', 'is missing: a pinned schedule names its session'),
  };
}

/** A moment with its offset, as text; a date of TOML has no other form once it is read. */
function momentIn(table: TableReader, key: string): number | undefined {
  const text = table.text(
    key,
    64,
    'must be a moment in quotes, such as "2026-05-01T09:00:00Z"',
    /^\d{4}-.*(Z|[+-]\d\d:\d\d)$/,
  );
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms)
    ? table.refuse(key, 'must be a moment in quotes, such as "2026-05-01T09:00:00Z"')
    : ms;
}
