import { type Clock, FairleadError } from '@fairlead/base';
import type { Store } from '@fairlead/store';
import { hostError } from '../errors.ts';
import { schedulerLimits } from '../limits.ts';
import type { OwedWrites } from '../sessions/owed-writes.ts';
import { type NextTurn, nextTurn, type PendingWake, pendingWakes } from '../sessions/wakes.ts';
import type { TurnReport } from '../turn/turn-options.ts';
import { goneReason } from './gone-claim.ts';
import { cutAtClaim, type TurnClaim, type TurnExtras } from './turn-claim.ts';
import { type LaneWork, TurnLane } from './turn-lane.ts';

/** A turn that is to run. */
export interface TurnJob {
  readonly turn: string;
  readonly session: string;
  readonly agent: string;
  readonly wakes: readonly PendingWake[];
  readonly extras: TurnExtras;
}

/** Why nothing answers some entries: they wait no more. */
export class Unanswerable extends Error {
  override readonly name = 'Unanswerable';
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

export interface SchedulerPorts {
  readonly store: Store;
  readonly owed: OwedWrites;
  readonly clock: Clock;
  readonly newTurn: () => string;
  readonly isPaused: () => boolean;
  /** Nothing is answered but what somebody claimed; the rest waits for another start. */
  readonly claimedOnly: boolean;
  /** False for a session that somebody else runs turns in, such as one that was spawned. */
  readonly isOwn: (session: string) => Promise<boolean>;
  /** Runs it to its end. Rejects where it could not begin, with `Unanswerable` where it never will. */
  readonly run: (job: TurnJob, signal: AbortSignal) => Promise<TurnReport>;
  /** A turn that could not begin: it is tried again in a while. */
  readonly failed: (session: string, error: unknown) => void;
}

type Room = {
  readonly lane: TurnLane;
  readonly claims: Set<TurnClaim>;
  /** Something may wait. */
  again: boolean;
  draining: Promise<void> | undefined;
  failures: number;
  /** Who works with it at the moment, and would miss it. */
  holds: number;
};

const IGNORE = `UPDATE wakes SET state = 'ignored', reason = ? WHERE seq = ? AND state = 'pending'`;

/** Answers what waits: in each session one turn after the other, in the order in which entries came, all sessions side by side. */
export class Scheduler {
  readonly #ports: SchedulerPorts;
  readonly #rooms = new Map<string, Room>();
  readonly #claimed = new Map<TurnClaim, string>();
  #isClosed = false;

  constructor(ports: SchedulerPorts) {
    this.#ports = ports;
  }

  /** Something may wait there, or wait no more: what may begin begins, and who waits in vain is told. */
  wake(session: string): void {
    const room = this.#room(session);
    room.again = true;
    // A turn that runs must not hold them up.
    if (room.claims.size > 0 && (room.draining !== undefined || this.#isStopped)) this.#lookAtClaims(session);
    if (room.draining !== undefined || this.#isStopped) return;
    room.draining = this.#drain(session, room)
      .catch((error: unknown) => this.#later(session, room, error))
      .finally(() => {
        room.draining = undefined;
        if (room.again && !this.#isStopped && room.failures === 0) this.wake(session);
        else this.#sweep(session, room);
      });
  }

  /** The turn that holds a session. */
  running(session: string): string | undefined {
    return this.#rooms.get(session)?.lane.turn;
  }

  /** Whether something runs, waits or is claimed there, as far as it was told. */
  isAt(session: string): boolean {
    return this.#rooms.has(session);
  }

  /** Sessions that a turn holds now. */
  busy(): readonly string[] {
    return [...this.#rooms].filter(([, { lane }]) => lane.turn !== undefined).map(([session]) => session);
  }

  /** Holds a session for work of its own, such as a turn that nobody's message began. Rejects with `turn_running`. */
  async occupy<T>(session: string, work: LaneWork<T>): Promise<T> {
    if (this.#isClosed) throw hostError('host_stopping');
    if (this.#ports.isPaused()) throw hostError('host_paused');
    try {
      return await this.#holding(session, (room) => room.lane.occupy(work));
    } finally {
      this.wake(session);
    }
  }

  /**
   * Writes what is to be answered while nothing is chosen there, and claims it. `post` resolves with the claim of what it wrote; its rejection
   * is the caller's.
   */
  async claim(session: string, post: () => Promise<TurnClaim>): Promise<TurnClaim> {
    const claim = await this.#holding(session, (room) =>
      room.lane.alone(async () => {
        const made = await post();
        room.claims.add(made);
        return made;
      }),
    );
    // What stopped meanwhile had not heard of it.
    if (this.#isStopped)
      await this.withdraw(session, claim, hostError(this.#isClosed ? 'host_stopping' : 'host_paused'));
    else this.wake(session);
    return claim;
  }

  /**
   * Ends a claim: its turn is cancelled, or what waits for it is taken back. Where the host is paused it goes on waiting, for whoever answers
   * it then.
   */
  async withdraw(session: string, claim: TurnClaim, reason: FairleadError): Promise<void> {
    await this.#holding(session, async (room) => {
      await room.lane.alone(async () => {
        if (!room.claims.delete(claim)) return;
        await this.#takeBack(session, { claim, reason, wakes: () => this.#wakesOf(session, claim) });
      });
      const turn = this.#claimed.get(claim);
      if (turn !== undefined) room.lane.cancel(reason, turn);
    });
  }

  /** Cancels the turn of one session and waits for its end. False where none runs. */
  async cancel(session: string, reason: FairleadError): Promise<boolean> {
    const lane = this.#rooms.get(session)?.lane;
    if (lane === undefined || !lane.cancel(reason)) return false;
    await lane.ended;
    return true;
  }

  /** Cancels everything and waits for its end. What waited still waits; who waited for an answer is told. */
  async cancelAll(reason: FairleadError): Promise<void> {
    const ends: Promise<void>[] = [];
    for (const [session, { lane, claims, draining }] of this.#rooms) {
      lane.cancel(reason);
      ends.push(lane.ended, draining ?? Promise.resolve());
      for (const claim of claims) ends.push(this.withdraw(session, claim, reason));
    }
    await Promise.all(ends);
  }

  /** Resolves when nothing runs. */
  async quiet(): Promise<void> {
    for (;;) {
      const running = [...this.#rooms.values()].flatMap(({ lane, draining }) => [
        ...(draining === undefined ? [] : [draining]),
        ...(lane.turn === undefined ? [] : [lane.ended]),
      ]);
      if (running.length === 0) return;
      await Promise.all(running);
    }
  }

  /** Begins nothing any more. */
  stop(): void {
    this.#isClosed = true;
  }

  get #isStopped(): boolean {
    return this.#isClosed || this.#ports.isPaused();
  }

  async #drain(session: string, room: Room): Promise<void> {
    if (!(await this.#ports.isOwn(session))) {
      room.again = false;
      return;
    }
    while (room.again && !this.#isStopped) {
      await room.lane.ended;
      const flight = await this.#begin(session, room);
      await flight;
      room.failures = 0;
    }
  }

  /** Chooses what comes next and begins it, in one step as far as others can see. */
  async #begin(session: string, room: Room): Promise<Promise<void> | undefined> {
    let flight: Promise<void> | undefined;
    await room.lane.alone(async () => {
      room.again = false;
      const { store, owed, claimedOnly } = this.#ports;
      // What was taken back on a full disk waits no more.
      if (owed.has(session)) await owed.flush();
      const pending = await pendingWakes(store, session);
      await this.#endGone(session, room, pending);
      const chosen = nextTurn(claimedOnly ? pending.filter((wake) => claimOf(room, wake)) : pending);
      if (this.#isStopped || chosen === undefined) return;
      room.again = true;
      if (room.lane.turn !== undefined) return;
      const { next, claim } = cutAtClaim(chosen, (wake) => claimOf(room, wake));
      if (claim !== undefined) room.claims.delete(claim);
      flight = this.#run(session, room, { next, claim });
      // It is awaited outside: whoever is next in line must not wait for a turn.
      flight.catch(() => {});
    });
    return flight;
  }

  async #run(
    session: string,
    { lane }: Room,
    { next, claim }: { readonly next: NextTurn; readonly claim: TurnClaim | undefined },
  ): Promise<void> {
    const turn = this.#ports.newTurn();
    const { agent, wakes } = next;
    const job: TurnJob = { turn, session, agent, wakes, extras: claim?.extras ?? {} };
    if (claim !== undefined) this.#claimed.set(claim, turn);
    let reason: unknown;
    try {
      const report = await lane.occupy({
        turn,
        run: async (signal) => {
          try {
            return await this.#ports.run(job, signal);
          } catch (error) {
            if (signal.aborted && error === signal.reason) reason = error;
            throw error;
          }
        },
      });
      claim?.settle({ turn, report });
    } catch (error) {
      await this.#notBegun(error, { session, wakes, claim, reason });
    } finally {
      if (claim !== undefined) this.#claimed.delete(claim);
    }
  }

  /** What could not begin waits on, unless nobody wants it any more or it never will. */
  async #notBegun(
    error: unknown,
    {
      session,
      wakes,
      claim,
      reason,
    }: {
      readonly session: string;
      readonly wakes: readonly PendingWake[];
      readonly claim: TurnClaim | undefined;
      readonly reason: unknown;
    },
  ): Promise<void> {
    // The claim is in no set any more: nobody else tells whoever waits.
    if (error instanceof Unanswerable) {
      try {
        await this.#ignore(wakes, error.reason);
      } finally {
        claim?.fail(hostError('turn_cancelled', error.reason));
      }
      return;
    }
    if (reason instanceof FairleadError) {
      await this.#takeBack(session, { claim, reason, wakes: async () => wakes });
      return;
    }
    claim?.fail(error);
    throw error;
  }

  #lookAtClaims(session: string): void {
    const looking = this.#holding(session, (room) =>
      room.lane.alone(async () => {
        await this.#endGone(session, room, await pendingWakes(this.#ports.store, session));
      }),
    );
    looking.catch((error: unknown) => this.#ports.failed(session, error));
  }

  /** Who waits for the answer to what waits no more, such as in a session that was closed, is told so. */
  async #endGone(session: string, { claims }: Room, pending: readonly PendingWake[]): Promise<void> {
    for (const claim of [...claims]) {
      if (pending.some(({ entry, agent }) => entry === claim.entry && agent === claim.agent)) continue;
      const reason = await goneReason(this.#ports.store, session, claim);
      if (claims.delete(claim)) claim.settle({ turn: null, reason });
    }
  }

  /** The store, or something of its kind: tried again, less and less often. */
  #later(session: string, room: Room, error: unknown): void {
    this.#ports.failed(session, error);
    const delayMs = Math.min(schedulerLimits.retryMs * 2 ** room.failures, schedulerLimits.retryMaxMs);
    room.failures += 1;
    this.#ports.clock.setTimer(delayMs, () => this.wake(session), { unref: true });
  }

  async #wakesOf(session: string, { entry, agent }: TurnClaim): Promise<readonly PendingWake[]> {
    const pending = await pendingWakes(this.#ports.store, session);
    return pending.filter((wake) => wake.entry === entry && wake.agent === agent);
  }

  /**
   * Where the disk does not take it, it is owed before anything else begins there, or it would be answered all the same. Whoever waits is told
   * that it is cancelled only where it stands or is owed. Rejects with the fault where it does not stand.
   */
  async #takeBack(
    session: string,
    {
      claim,
      reason,
      wakes,
    }: {
      readonly claim: TurnClaim | undefined;
      readonly reason: FairleadError;
      readonly wakes: () => Promise<readonly PendingWake[]>;
    },
  ): Promise<void> {
    let fault: unknown;
    try {
      if (!waitsOn(reason)) {
        const waiting = await wakes();
        fault = await this.#ports.owed.writtenNow(session, () => this.#ignore(waiting, 'cancelled'));
      }
    } catch (error) {
      claim?.fail(error);
      throw error;
    }
    claim?.settle({ turn: null, reason });
    if (fault !== undefined) throw fault;
  }

  async #ignore(wakes: readonly PendingWake[], reason: string): Promise<void> {
    await this.#ports.store.write(wakes.map(({ seq }) => ({ sql: IGNORE, parameters: [reason, seq] })));
  }

  async #holding<T>(session: string, work: (room: Room) => Promise<T>): Promise<T> {
    const room = this.#room(session);
    room.holds += 1;
    try {
      return await work(room);
    } finally {
      room.holds -= 1;
      this.#sweep(session, room);
    }
  }

  #room(session: string): Room {
    const known = this.#rooms.get(session);
    if (known !== undefined) return known;
    const room: Room = {
      lane: new TurnLane(),
      claims: new Set(),
      again: false,
      draining: undefined,
      failures: 0,
      holds: 0,
    };
    this.#rooms.set(session, room);
    return room;
  }

  #sweep(session: string, room: Room): void {
    const { lane, claims, draining, again, holds } = room;
    if (holds === 0 && lane.turn === undefined && claims.size === 0 && draining === undefined && !again)
      this.#rooms.delete(session);
  }
}

/** Whether what had not begun when it was cancelled is answered later: nobody took it back. */
export function waitsOn(reason: unknown): boolean {
  if (!(reason instanceof FairleadError)) return false;
  return reason.code === 'host_paused' || reason.code === 'host_stopping';
}

function claimOf({ claims }: Room, { entry, agent }: PendingWake): TurnClaim | undefined {
  return [...claims].find((claim) => claim.entry === entry && claim.agent === agent);
}
