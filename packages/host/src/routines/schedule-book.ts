import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { Database } from '@fairlead/store';
import type { Agents } from '../agents/agents.ts';
import { hostError } from '../errors.ts';
import { routineLimits } from '../limits.ts';
import type { SessionFloor } from '../sessions/session-floor.ts';
import { nowMs } from '../sessions/sessions.ts';
import { slotsOfCron } from './cron-pattern.ts';
import type { RoutineEngine } from './routine-engine.ts';
import { SCHEDULE_PREFIX, SCHEDULES_TABLE } from './routine-rows.ts';
import { readScheduleRow, type Schedule } from './schedule.ts';
import { newestFires } from './schedule-fires.ts';
import type { Trigger } from './trigger.ts';

/** What an operator allows agents to plan: `[limits] schedules_per_agent` and `schedule_min_secs`. */
export interface ScheduleLimits {
  readonly perAgent: number;
  /** The shortest time between two firings of one schedule. */
  readonly minSecs: number;
}

/** A schedule as it is set, in the members of its row. Null takes a bound away; an absent member of a change stays as it is. */
export interface ScheduleWish {
  readonly trigger?: JsonObject;
  readonly task?: string;
  readonly target?: JsonObject;
  readonly enabled?: boolean;
  readonly max_fires?: number | null;
  readonly expires_at?: number | null;
  readonly missed?: Json;
  readonly jitter_secs?: number;
}

/** A schedule as a list shows it. Moments are milliseconds since 1970. */
export interface ScheduleLine {
  readonly id: string;
  /** Undefined where the row cannot be read; `problem` says why. */
  readonly schedule?: Schedule;
  readonly problem?: string;
  readonly next: number | null;
  /** Fires of its generation. */
  readonly fires: number;
  readonly failures: number;
  readonly lastCode: string | null;
}

export interface ScheduleBookPorts {
  readonly floor: Pick<SessionFloor, 'agents' | 'clock'> & { readonly agents: Agents };
  readonly engine: Pick<RoutineEngine, 'changed' | 'list'>;
  /** IANA name: where a pattern without one is meant. */
  readonly zone: string;
  readonly limits: ScheduleLimits;
}

const ID = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/;

/** True for what may name a schedule. */
export function isScheduleId(id: string): boolean {
  return ID.test(id);
}

/** The schedules of agents that are at home here, within what the operator allows. One change of an agent's at a time. */
export class ScheduleBook {
  readonly #ports: ScheduleBookPorts;
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(ports: ScheduleBookPorts) {
    this.#ports = ports;
  }

  /** By id. Rejects with `agent_unknown`. */
  async list(agent: string): Promise<readonly ScheduleLine[]> {
    const database = await this.#open(agent);
    const rows = (await database.latest(SCHEDULES_TABLE).all()).filter(({ value }) => value !== null);
    const fires = await countAll(database);
    const known = new Map(this.#ports.engine.list(agent).map((line) => [line.routine, line]));
    return rows.map(({ key: id, value }) => {
      const reading = readScheduleRow(value, this.#ports.zone);
      const line = known.get(`${SCHEDULE_PREFIX}${id}`);
      const generation = reading.ok ? reading.schedule.generation : 0;
      return {
        id,
        ...(reading.ok ? { schedule: reading.schedule } : { problem: reading.problem }),
        next: line?.next ?? null,
        fires: fires.get(`${generation} ${id}`) ?? 0,
        failures: line?.failures ?? 0,
        lastCode: line?.lastCode ?? null,
      };
    });
  }

  /** Rejects with `schedule_exists`, `schedule_invalid`, `schedule_too_often`, `schedule_limit`, `agent_unknown`, or a code of the store. */
  async add(agent: string, id: string, wish: ScheduleWish): Promise<ScheduleLine> {
    return await this.#alone(agent, async (database) => {
      if (!isScheduleId(id))
        throw hostError('schedule_invalid', 'an id is letters, digits, - and _, 64 at most');
      const rows = await database.latest(SCHEDULES_TABLE).all();
      if (rows.some(({ key, value }) => key === id && value !== null)) throw hostError('schedule_exists', id);
      const { perAgent } = this.#ports.limits;
      if (rows.filter(({ value }) => value !== null).length >= perAgent)
        throw hostError('schedule_limit', `${perAgent}`);
      const before = rows.find(({ key }) => key === id);
      const generation = before === undefined ? 1 : nowMs(this.#ports.floor.clock);
      return await this.#put(database, id, { ...filled(wish), enabled: wish.enabled ?? true, generation });
    });
  }

  /**
   * Changes what the wish names. Another time, bound or a switch to on begins a generation, whose fires are counted anew. Rejects with
   * `schedule_unknown`, `schedule_unchanged` for a wish of nothing, and as `add` does.
   */
  async modify(agent: string, id: string, wish: ScheduleWish): Promise<ScheduleLine> {
    return await this.#alone(agent, async (database) => {
      const value = (await database.latest(SCHEDULES_TABLE).get(id))?.value;
      if (!isJsonObject(value)) throw hostError('schedule_unknown', id);
      if (Object.values(wish).every((member) => member === undefined)) throw hostError('schedule_unchanged');
      const begins = wish.trigger !== undefined || wish.max_fires !== undefined || wish.enabled === true;
      const generation = begins ? nowMs(this.#ports.floor.clock) : value['generation'];
      return await this.#put(database, id, { ...filled({ ...value, ...wish }), generation: generation ?? 1 });
    });
  }

  /** Rejects with `schedule_unknown`. */
  async remove(agent: string, id: string): Promise<void> {
    await this.#alone(agent, async (database) => {
      const known = (await database.latest(SCHEDULES_TABLE).get(id))?.value;
      if (known === undefined || known === null) throw hostError('schedule_unknown', id);
      await database.latest(SCHEDULES_TABLE).put(id, null);
      await this.#ports.engine.changed(agent, 'agent', `${SCHEDULE_PREFIX}${id}`);
    });
  }

  async #put(database: Database, id: string, value: JsonObject): Promise<ScheduleLine> {
    const reading = readScheduleRow(value, this.#ports.zone);
    if (!reading.ok) throw hostError('schedule_invalid', reading.problem);
    const { schedule } = reading;
    this.#checkPace(schedule.trigger);
    await database.latest(SCHEDULES_TABLE).put(id, value);
    await this.#ports.engine.changed(database.root, 'agent', `${SCHEDULE_PREFIX}${id}`);
    const [line] = this.#ports.engine
      .list(database.root)
      .filter(({ routine }) => routine === `${SCHEDULE_PREFIX}${id}`);
    return { id, schedule, next: line?.next ?? null, fires: 0, failures: 0, lastCode: null };
  }

  #checkPace(trigger: Trigger): void {
    const { minSecs } = this.#ports.limits;
    if (shortestGapMs(trigger, nowMs(this.#ports.floor.clock)) < minSecs * 1000)
      throw hostError('schedule_too_often', `${minSecs} seconds at least`);
  }

  async #open(agent: string): Promise<Database> {
    const { agents } = this.#ports.floor;
    if (!(await agents.isHome(agent))) throw hostError('agent_unknown');
    return await agents.open(agent);
  }

  async #alone<T>(agent: string, change: (database: Database) => Promise<T>): Promise<T> {
    const before = this.#changes.get(agent) ?? Promise.resolve();
    const next = before.then(async () => await change(await this.#open(agent)));
    const settled = next.catch(() => {});
    this.#changes.set(agent, settled);
    try {
      return await next;
    } finally {
      if (this.#changes.get(agent) === settled) this.#changes.delete(agent);
    }
  }
}

/** Without what is absent or was taken away. */
function filled(wish: ScheduleWish & JsonObject): JsonObject;
function filled(wish: ScheduleWish): JsonObject;
function filled(wish: object): JsonObject {
  return Object.fromEntries(
    Object.entries(wish).filter(([, member]) => member !== undefined && member !== null),
  ) as JsonObject;
}

/** The shortest time between two firings of those to come. */
function shortestGapMs(trigger: Trigger, afterMs: number): number {
  if (trigger.kind === 'every') return trigger.secs * 1000;
  if (trigger.kind === 'at') return Number.POSITIVE_INFINITY;
  let shortest = Number.POSITIVE_INFINITY;
  let before: number | undefined;
  let seen = 0;
  for (const due of slotsOfCron(trigger.cron, trigger.zone, afterMs)) {
    if (before !== undefined) shortest = Math.min(shortest, due - before);
    before = due;
    seen += 1;
    if (seen > routineLimits.paceLooked) break;
  }
  return shortest;
}

/** Fires by generation and id, of the newest that are kept. */
async function countAll(database: Database): Promise<ReadonlyMap<string, number>> {
  const fires = new Map<string, number>();
  for await (const { generation, schedule } of newestFires(database)) {
    const key = `${generation} ${schedule}`;
    fires.set(key, (fires.get(key) ?? 0) + 1);
  }
  return fires;
}
