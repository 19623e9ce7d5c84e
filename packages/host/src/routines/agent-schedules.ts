import { FairleadError, isJsonObject, type Json } from '@fairlead/base';
import { ENTRIES_TABLE } from '@fairlead/hub';
import type { Database, RecordRef, Tx } from '@fairlead/store';
import type { KnownAgent } from '../agents/agents.ts';
import type { Speaker } from '../entries/entry.ts';
import { entryValue } from '../entries/write-entry.ts';
import { hostError } from '../errors.ts';
import type { LeakDetector } from '../leaks/leak-detector.ts';
import type { SessionFloor } from '../sessions/session-floor.ts';
import { nowMs } from '../sessions/sessions.ts';
import { addWake } from '../sessions/wakes.ts';
import type { FiringEnd, SlotFate } from './routine-engine.ts';
import { SCHEDULE_PREFIX, SCHEDULES_TABLE } from './routine-rows.ts';
import { readScheduleRow, type Schedule } from './schedule.ts';
import { FIRES_TABLE, newestFires } from './schedule-fires.ts';
import { runSlot, type SlotKey, type SlotRow, slotName } from './slot-rows.ts';

/** Which schedule fires, for which slot. */
export interface ScheduleFiring {
  /** Root id of the agent. */
  readonly agent: string;
  readonly schedule: string;
  readonly due: number;
}

type ScheduleFloor = SessionFloor & { readonly leaks: Pick<LeakDetector, 'text'> };

export interface AgentSchedulesPorts {
  readonly floor: ScheduleFloor;
  /** IANA name: where a pattern without one is meant. */
  readonly zone: string;
  /** Something waits in a session. */
  readonly woken: (session: string) => void;
}

/** Brings agents' schedules to their sessions: the task as a directive, whose turn is the slot's. */
export class AgentSchedules {
  readonly #ports: AgentSchedulesPorts;

  constructor(ports: AgentSchedulesPorts) {
    this.#ports = ports;
  }

  /**
   * Writes the directive, what it wakes, the slot and the fire, all or nothing. `running` once they are on disk: the end of the turn is the
   * end of the slot. Rejects with a code of the store, or `session_busy` where the session has too much waiting.
   */
  async fire({ agent: id, schedule: key, due }: ScheduleFiring): Promise<FiringEnd> {
    const { floor, zone } = this.#ports;
    const agent = await floor.agents.find(id);
    if (agent?.isHome !== true) return { state: 'skipped', code: 'agent_not_here' };
    const database = await floor.agents.open(id);
    const row = await database.latest(SCHEDULES_TABLE).get(key);
    const reading = readScheduleRow(row?.value ?? null, zone);
    if (!reading.ok || !reading.schedule.enabled) return { state: 'skipped', code: 'schedule_gone' };
    const { schedule } = reading;
    const over = await this.#over(database, key, schedule, due);
    if (over !== undefined) {
      await this.#switchOff(database, key, row?.id);
      return { state: 'skipped', code: over };
    }
    const slot: SlotKey = { database: id, routine: `${SCHEDULE_PREFIX}${key}`, due };
    const firing = { floor, agent, database, key, schedule, slot };
    const session =
      schedule.target.kind === 'fresh' ? await fresh(firing) : await pinned(firing, schedule.target.session);
    if (session === undefined) {
      await this.#switchOff(database, key, row?.id);
      return { state: 'skipped', code: 'session_closed' };
    }
    this.#ports.woken(session);
    return { state: 'running' };
  }

  /** What became of a schedule's slot that an earlier start left: the rows of its directive and its turn say it. */
  async fateOf(slot: SlotRow): Promise<SlotFate> {
    // Its directive is written together with `running`: without it nothing was told to anybody.
    if (slot.state === 'claimed') return { state: 'again' };
    const { store } = this.#ports.floor;
    const [turn] = await store.read<{ state: string }>(
      'SELECT state FROM turns WHERE slot = ? ORDER BY seq DESC LIMIT 1',
      [slotName(slot)],
    );
    if (turn !== undefined) return fateOfTurn(turn.state);
    const [waiting] = await store.read(
      `SELECT seq FROM wakes WHERE session = ? AND agent = ? AND kind = 'directive' AND state IN ('pending', 'taken') LIMIT 1`,
      [slot.session, slot.database],
    );
    return waiting === undefined ? { state: 'unknown', code: 'turn_never_began' } : { state: 'running' };
  }

  /** Why it does not fire any more. */
  async #over(
    database: Database,
    key: string,
    { maxFires, expiresAt, generation }: Schedule,
    due: number,
  ): Promise<string | undefined> {
    if (expiresAt !== undefined && due >= expiresAt) return 'schedule_expired';
    if (maxFires === undefined) return undefined;
    return (await countFires(database, key, generation, maxFires)) >= maxFires ? 'schedule_spent' : undefined;
  }

  /** Unless somebody has changed it meanwhile: what they want stands. */
  async #switchOff(database: Database, key: string, record: string | undefined): Promise<void> {
    const schedules = database.latest(SCHEDULES_TABLE);
    const row = await schedules.get(key);
    if (row === undefined || row.id !== record || !isJsonObject(row.value)) return;
    await schedules.put(key, { ...row.value, enabled: false });
  }
}

type Fire = {
  readonly floor: ScheduleFloor;
  readonly agent: KnownAgent;
  readonly database: Database;
  readonly key: string;
  readonly schedule: Schedule;
  readonly slot: SlotKey;
};

/** A session of its own for this one task. */
async function fresh(fire: Fire): Promise<string> {
  const { floor, agent, key } = fire;
  let entry: RecordRef | undefined;
  return await floor.sessions.create(
    { agents: [agent.id], source: `schedule:${agent.name}:${key}`.slice(0, 200) },
    {
      inSession: (session) => {
        entry = session.append(ENTRIES_TABLE, directiveOf(fire));
      },
      beside: (tx, session) => {
        if (entry !== undefined) alsoWrite(tx, fire, session, entry);
      },
    },
  );
}

/** The session that it was set in; undefined where that is closed or gone. */
async function pinned(fire: Fire, session: string): Promise<string | undefined> {
  const { floor, agent } = fire;
  const { sessions, peer } = floor;
  const meta = await sessions.meta(session).catch((error: unknown) => {
    if (error instanceof FairleadError && error.code === 'session_unknown') return undefined;
    throw error;
  });
  if (meta === undefined || meta.closed) return undefined;
  if (!meta.agents.some(({ id }) => id === agent.id)) await sessions.attach(session, agent.id);
  const database = await sessions.open(session);
  try {
    await peer.transaction((tx) => {
      alsoWrite(tx, fire, session, tx.on(database).append(ENTRIES_TABLE, directiveOf(fire)));
    });
  } catch (error) {
    // Its slot is claimed and its own: what does not fit any more is the wake.
    if (error instanceof FairleadError && error.code === 'transaction_refused')
      throw hostError('session_busy');
    throw error;
  }
  return session;
}

function directiveOf({ floor, agent, key, schedule, slot }: Fire): Json {
  const from: Speaker = { kind: 'schedule', id: key, name: key };
  // A model may have written it, and it is kept.
  const text = floor.leaks.text(schedule.task).value;
  const body = { type: 'directive', text, agent: agent.id, slot: slotName(slot) } as const;
  return entryValue(body, from, floor.clock);
}

function alsoWrite(tx: Tx, fire: Fire, session: string, entry: RecordRef): void {
  const { floor, agent, database, key, schedule, slot } = fire;
  const at = nowMs(floor.clock);
  addWake(tx, { session, entry, agent: agent.id, kind: 'directive' });
  const run = runSlot(slot, session, at);
  tx.write(run.sql, run.parameters, 1);
  const { generation, target } = schedule;
  tx.on(database).append(FIRES_TABLE, {
    ...{ schedule: key, generation, due: slot.due, at, session, fresh: target.kind === 'fresh' },
  });
}

/** Fires of a generation, counted until there are `most`. */
async function countFires(
  database: Database,
  key: string,
  generation: number,
  most: number,
): Promise<number> {
  let fires = 0;
  for await (const fire of newestFires(database, Number.POSITIVE_INFINITY)) {
    if (fire.schedule === key && fire.generation === generation) fires += 1;
    if (fires >= most) break;
  }
  return fires;
}

function fateOfTurn(state: string): SlotFate {
  switch (state) {
    case 'completed':
    case 'silent':
      return { state: 'fired', outcome: 'completed' };
    case 'cancelled':
      return { state: 'fired', outcome: 'cancelled' };
    case 'running':
      return { state: 'running' };
    case 'interrupted':
      return { state: 'unknown', code: 'turn_interrupted' };
    default:
      return { state: 'fired', outcome: 'failed', code: `turn_${state}` };
  }
}
