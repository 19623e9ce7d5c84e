import { FairleadError, isJsonObject, type JsonObject } from '@fairlead/base';
import type { ScopeKind } from '@fairlead/extension';
import type { Manifest } from '@fairlead/extension/runtime';
import type { RoutineScope } from '@fairlead/hub';
import type { Database, DatabaseKind } from '@fairlead/store';
import { routineLimits } from '../limits.ts';
import { AgentSchedules, type ScheduleFiring } from '../routines/agent-schedules.ts';
import { declareRoutines } from '../routines/declared-routines.ts';
import { type Firing, type FiringEnd, RoutineEngine, type SlotFate } from '../routines/routine-engine.ts';
import { type RoutinePlace, SCHEDULE_PREFIX } from '../routines/routine-rows.ts';
import { SCHEDULE_HANDLER } from '../routines/schedule.ts';
import { ScheduleBook, type ScheduleLimits } from '../routines/schedule-book.ts';
import { sessionRows } from '../routines/session-rows.ts';
import { newestSlots, readSlotName, type SlotEnd, type SlotRow, slotName } from '../routines/slot-rows.ts';
import { unwritable } from '../sessions/unwritable.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import type { TurnReport } from '../turn/turn-options.ts';
import type { HostReport } from './host-options.ts';

/** What stands in the row itself and no time mends: a failure, as what a handler throws is one. */
const WRONG_ROW: ReadonlySet<string> = new Set(['routine_no_handler', 'frame_too_large']);

export interface HostRoutinesPorts {
  readonly floor: TurnFloor;
  /** IANA name: where a pattern without one is meant. */
  readonly zone: string;
  readonly limits: ScheduleLimits;
  /** Something waits in a session. */
  readonly woken: (session: string) => void;
  readonly report: (report: HostReport) => void;
}

/** The routines of a host: its extensions' and its agents', fired through the hub. */
export class HostRoutines {
  readonly #ports: HostRoutinesPorts;
  readonly #schedules: AgentSchedules;
  /** What a schedule's firing came to, by slot, until the engine asks. */
  readonly #ends = new Map<string, FiringEnd>();
  readonly engine: RoutineEngine;
  /** What agents plan. */
  readonly book: ScheduleBook;
  /** Opened by somebody, and not closed or let go of. */
  readonly #sessions = new Set<string>();
  #declaring: Promise<void> = Promise.resolve();
  #off: (() => void) | undefined;
  #peerDatabase: Database | undefined;

  constructor(ports: HostRoutinesPorts) {
    this.#ports = ports;
    const { floor, zone, woken, report } = ports;
    const { peer, store, clock, boot, state, owed } = floor;
    this.#schedules = new AgentSchedules({ floor, zone, woken });
    this.engine = new RoutineEngine(
      {
        ...{ peer, store, clock, boot, zone, owed },
        placeOf: (root, kind) => this.#placeOf(root, kind),
        fire: (firing) => this.#fire(firing),
        fateOf: (slot) => this.#fateOf(slot),
        heldBack: (place) => this.#heldBack(place),
        report: ({ code, routine, reason }) =>
          report({ level: 'warn', code, message: `The routine ${routine} did not run: ${reason}` }),
      },
      { isPaused: state.pausedAtMs !== null },
    );
    this.book = new ScheduleBook({ floor, engine: this.engine, zone, limits: ports.limits });
  }

  /** Settles what an earlier start left and begins to fire. After the recovery of turns, before anything runs. */
  async start(): Promise<void> {
    const { floor, report } = this.#ports;
    await this.engine.start();
    // An extension of a folder is loaded while the host starts, or hours later.
    this.#off = floor.hub.onInstalled(() => {
      this.declare().catch((error: unknown) => {
        const message = error instanceof Error ? error.message : 'unknown';
        report({ level: 'warn', code: 'routine_undeclared', message });
      });
    });
    await this.declare();
  }

  /** Fires nothing more; resolves when what ran has ended. */
  async close(): Promise<void> {
    this.#off?.();
    await this.#declaring.catch(() => {});
    await this.engine.close();
  }

  /** Writes down what extensions declare for the host, for its agents and for the sessions that were opened. */
  async declare(): Promise<void> {
    await this.#alone(async () => {
      const { agents, peer } = this.#ports.floor;
      const manifests = this.#manifests();
      if (declares(manifests, 'global'))
        await declareRoutines(peer, await this.#ownDatabase(), 'global', manifests);
      if (declares(manifests, 'agent'))
        for (const { id, isHome } of await agents.list())
          if (isHome) await declareRoutines(peer, await agents.open(id), 'agent', manifests);
      for (const session of this.#sessions) await this.#declareIn(session, manifests);
    });
  }

  /** The same for a session that was opened. */
  async declareIn(session: string): Promise<void> {
    this.#sessions.add(session);
    await this.#alone(() => this.#declareIn(session, this.#manifests()));
  }

  /** A session was closed. */
  leave(session: string): void {
    this.#sessions.delete(session);
    this.engine.leave(session);
  }

  /** A session was let go of. What is due in it fires all the same: the firing opens it. */
  released(session: string): void {
    this.#sessions.delete(session);
  }

  /** What the handler of agents' schedules calls: `payload` as the engine gave it. */
  async fireSchedule(payload: unknown): Promise<void> {
    const firing = firingOf(payload);
    if (firing === undefined) return;
    const { agent, schedule, due } = firing;
    const end = await this.#schedules.fire(firing).catch(toldNobody);
    this.#ends.set(slotName({ database: agent, routine: `${SCHEDULE_PREFIX}${schedule}`, due }), end);
  }

  /** The newest slots of an agent's schedule. */
  async history(agent: string, id: string): Promise<readonly SlotRow[]> {
    const of = { database: agent, routine: `${SCHEDULE_PREFIX}${id}` };
    return await newestSlots(this.#ports.floor.store, of, routineLimits.listed);
  }

  /** A turn has ended that a slot began. */
  async turnEnded(
    name: string,
    turn: string,
    { status, code }: Pick<TurnReport, 'status' | 'code'>,
  ): Promise<void> {
    const slot = readSlotName(name);
    if (slot !== undefined) await this.engine.settled(slot, endOfTurn(status, code), turn);
  }

  /** A directive of a slot that nobody will answer. */
  async turnNever(name: string, code: string): Promise<void> {
    const slot = readSlotName(name);
    if (slot !== undefined) await this.engine.settled(slot, { state: 'fired', outcome: 'failed', code });
  }

  #manifests(): readonly Manifest[] {
    return this.#ports.floor.hub.extensions().flatMap(({ manifest }) => manifest ?? []);
  }

  async #declareIn(session: string, manifests: readonly Manifest[]): Promise<void> {
    const { sessions, peer } = this.#ports.floor;
    if (!declares(manifests, 'session') || !this.#sessions.has(session)) return;
    await declareRoutines(peer, await sessions.open(session), 'session', manifests);
  }

  /** One at a time: two that find the same row missing would both write it. */
  async #alone(work: () => Promise<void>): Promise<void> {
    this.#declaring = this.#declaring.catch(() => {}).then(work);
    await this.#declaring;
  }

  async #placeOf(root: string, kind: DatabaseKind): Promise<RoutinePlace | undefined> {
    const { agents, sessions } = this.#ports.floor;
    switch (kind) {
      case 'peer':
        return { kind: 'global', database: await this.#ownDatabase(root) };
      case 'agent':
        return (await agents.isHome(root)) ? { kind: 'agent', database: await agents.open(root) } : undefined;
      case 'session': {
        const meta = await sessions.meta(root).catch(unwritable);
        if (meta === undefined || meta.closed || meta.host === undefined) return undefined;
        if (!(await agents.isHome(meta.host))) return undefined;
        return { kind: 'session', database: sessionRows(sessions, root) };
      }
      default:
        return undefined;
    }
  }

  async #fire({ place, slot, routine, signal }: Firing): Promise<FiringEnd> {
    const { hub } = this.#ports.floor;
    const { extension, name, payload } = routine;
    const isSchedule = extension === SCHEDULE_HANDLER.extension && isJsonObject(payload);
    const scope: RoutineScope = isSchedule ? { kind: 'global' } : scopeOf(place);
    try {
      if (scope.kind === 'session') await hub.openSession(scope.session);
    } catch (error) {
      if (!(error instanceof FairleadError)) throw error;
      // Nothing of it ran, and what stands in the way of a session goes by.
      return { state: 'not_started', code: error.code };
    }
    const outcome = await hub.dispatchRoutine({
      extension,
      routine: name,
      scope,
      payload: isSchedule ? { ...payload, due: slot.due } : payload,
      signal,
    });
    const said = this.#ends.get(slotName(slot));
    this.#ends.delete(slotName(slot));
    if (said !== undefined) return said;
    if ('value' in outcome) return { state: 'fired', outcome: 'completed' };
    const { certainty, fault } = outcome;
    const { code } = fault;
    if (certainty === 'outcome_unknown') return { state: 'unknown', code };
    // Its extension is away, crashed or loading: what never began is no failure of the routine.
    if (certainty === 'not_started' && !WRONG_ROW.has(code)) return { state: 'not_started', code };
    return { state: 'fired', outcome: 'failed', code };
  }

  async #fateOf(slot: SlotRow): Promise<SlotFate> {
    if (slot.routine.startsWith(SCHEDULE_PREFIX)) return await this.#schedules.fateOf(slot);
    return { state: 'unknown', code: 'host_ended' };
  }

  /** The ceilings of a day, of an agent or of a session hold routines back until they are raised or the day is over. */
  async #heldBack({ kind, database }: RoutinePlace): Promise<string | undefined> {
    const { ledger } = this.#ports.floor;
    const { root } = database;
    const subject = {
      root: '',
      session: kind === 'session' ? root : '',
      agent: kind === 'agent' ? root : '',
    };
    return (await ledger.reached(subject)) === null ? undefined : 'ceiling_reached';
  }

  /** The database that is this peer's alone; made when it is first needed. */
  async #ownDatabase(known?: string): Promise<Database> {
    const { peer } = this.#ports.floor;
    if (this.#peerDatabase !== undefined) return this.#peerDatabase;
    const [own] = known === undefined ? await peer.list({ kind: 'peer' }) : [{ root: known }];
    this.#peerDatabase = own === undefined ? await peer.create('peer') : await peer.open(own.root);
    return this.#peerDatabase;
  }
}

function declares(manifests: readonly Manifest[], kind: ScopeKind): boolean {
  return manifests.some(({ routines }) => routines.some(({ scope }) => scope === kind));
}

function scopeOf({ kind, database }: RoutinePlace): RoutineScope {
  if (kind === 'global') return { kind };
  return kind === 'agent' ? { kind, agent: database.root } : { kind, session: database.root };
}

function endOfTurn(status: TurnReport['status'], code: string | undefined): SlotEnd {
  switch (status) {
    case 'completed':
    case 'silent':
      return { state: 'fired', outcome: 'completed' };
    case 'cancelled':
      return { state: 'fired', outcome: 'cancelled' };
    case 'interrupted':
      return { state: 'unknown', code: 'turn_interrupted' };
    default:
      return { state: 'fired', outcome: 'failed', code: code ?? `turn_${status}` };
  }
}

/** What a schedule writes is whole or not at all: where it was refused with a code, nothing was told to anybody. */
function toldNobody(error: unknown): FiringEnd {
  if (!(error instanceof FairleadError)) throw error;
  return { state: 'fired', outcome: 'failed', code: error.code };
}

function firingOf(payload: unknown): ScheduleFiring | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { agent, schedule, due } = payload as JsonObject;
  if (typeof agent !== 'string' || typeof schedule !== 'string' || typeof due !== 'number') return undefined;
  return { agent, schedule, due };
}
