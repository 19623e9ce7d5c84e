import { type Clock, isJsonObject, type Json, type Timer } from '@fairlead/base';
import type { DatabaseKind, Off, Peer, Statement, Store } from '@fairlead/store';
import { routineLimits } from '../limits.ts';
import type { OwedWrites } from '../sessions/owed-writes.ts';
import { dueSlots } from './due-slots.ts';
import { jitterMs } from './jitter.ts';
import type { Routine } from './routine.ts';
import { RoutineEntry } from './routine-entry.ts';
import { type LoadedRoutines, loadRoutines, routinePlaces } from './routine-load.ts';
import { type RoutineLine, RoutineRoster } from './routine-roster.ts';
import { currentRow, type RoutinePlace, type RoutineRow, routineOf, rowOf } from './routine-rows.ts';
import {
  claimSlot,
  endSlot,
  forgetState,
  freeSlot,
  KEEP_STATE,
  keepNext,
  keepState,
  openSlots,
  passSlot,
  pruneSlots,
  ranAhead,
  type SlotEnd,
  type SlotKey,
  type SlotRow,
  slotName,
} from './slot-rows.ts';
import { nextDue } from './trigger.ts';

/** A slot whose turn it is. */
export interface Firing {
  readonly place: RoutinePlace;
  readonly slot: SlotKey;
  readonly lateMs: number;
  readonly routine: Routine;
  /** Aborts when the engine is closed. */
  readonly signal: AbortSignal;
}

/** `running`: it goes on by itself, and whoever ends it calls `settled`. `not_started`: nothing of it ran, because nobody was there to run it. */
export type FiringEnd =
  | SlotEnd
  | { readonly state: 'running' }
  | { readonly state: 'not_started'; readonly code: string };

/** What became of a slot of an earlier start: how it ended, that it goes on, or that it had not begun and fires now. */
export type SlotFate = SlotEnd | { readonly state: 'running' } | { readonly state: 'again' };

export interface RoutineEngineOptions {
  readonly peer: Peer;
  readonly store: Store;
  readonly clock: Clock;
  readonly boot: string;
  /** IANA name: where a pattern without one is meant. */
  readonly zone: string;
  /** The database where it fires here; undefined where it does not. */
  readonly placeOf: (root: string, kind: DatabaseKind) => Promise<RoutinePlace | undefined>;
  /** Calls the handler. Where it rejects, nobody knows what happened. */
  readonly fire: (firing: Firing) => Promise<FiringEnd>;
  readonly fateOf: (slot: SlotRow) => Promise<SlotFate>;
  /** Has what became of a slot until the disk takes it. */
  readonly owed: Pick<OwedWrites, 'written'>;
  /** Why nothing may fire there now, such as a ceiling; undefined where it may. */
  readonly heldBack?: (place: RoutinePlace) => Promise<string | undefined>;
  /** What could not be done, for the log. */
  readonly report: (told: {
    readonly code: string;
    readonly routine: string;
    readonly reason: string;
  }) => void;
}

/** A slot of this start, and the version of the row that says how it runs. */
interface Claim {
  readonly slot: SlotKey;
  readonly lateMs: number;
  readonly record: string;
  readonly routine: Routine;
}

/**
 * Fires what is due. Every due firing is a slot, a row whose inserting is the claim: it is on disk before anything runs, so that a slot runs
 * once, or is known to have been cut short. One timer serves all routines; a pattern is read when its routine fires or changes.
 */
export class RoutineEngine {
  readonly #options: RoutineEngineOptions;
  readonly #roster = new RoutineRoster();
  readonly #placed = new Map<string, RoutinePlace>();
  /** By name of the slot: what others bring to its end. */
  readonly #going = new Map<string, RoutineEntry>();
  readonly #work = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #timer: Timer | undefined;
  #off: Off | undefined;
  #firing = 0;
  #isPaused: boolean;
  #missedUntilMs = Number.NEGATIVE_INFINITY;
  #prunedAtMs = Number.NEGATIVE_INFINITY;
  /** Wall clock less monotonic clock, as it was last: it falls where the wall clock is put back. */
  #aheadMs = Number.NEGATIVE_INFINITY;
  /** Claims of an earlier start that wait for the end of a pause. */
  #held: (() => Promise<void>)[] = [];

  constructor(options: RoutineEngineOptions, { isPaused = false }: { readonly isPaused?: boolean } = {}) {
    this.#options = options;
    this.#isPaused = isPaused;
  }

  /** Loads what is known, settles what an earlier start left, and begins to fire. After the recovery of turns; once. */
  async start(): Promise<void> {
    const { peer, store } = this.#options;
    for (const { root, kind } of await routinePlaces(store)) await this.#place(root, kind);
    await this.#rewind();
    await this.#recover();
    this.#off = await peer.onWrite(
      'routines',
      async ({ database, kind, author, seq, ops }) => {
        for (const [index, op] of ops.entries()) {
          if (op.op !== 'put' || !('table' in op)) continue;
          const routine = routineOf(op.table, op.key);
          if (routine === undefined) continue;
          // What was loaded, or written by the engine itself, is not read again.
          if (this.#roster.find(database, routine)?.record === `${author}:${seq}:${index}`) continue;
          await this.changed(database, kind, routine);
        }
      },
      { from: 'start' },
    );
    this.#tick();
  }

  /** Reads a routine's row again: it was written, here or on another peer. Idempotent. */
  async changed(root: string, kind: DatabaseKind, routine: string): Promise<void> {
    const place = this.#placed.get(root) ?? (await this.#place(root, kind));
    if (place === undefined) return;
    const entry = this.#roster.find(root, routine);
    const row = await currentRow(place, routine, this.#options.zone);
    if (row !== undefined && row.record !== entry?.record)
      await this.#adopt(entry ?? new RoutineEntry(place, routine), row);
    this.#tick();
  }

  /** Lets go of a database: its agent is elsewhere now, or its session closed. */
  leave(root: string): void {
    this.#placed.delete(root);
    this.#roster.leave(root);
  }

  /** Nothing fires until `resume`; what is due until then counts as missed. */
  pause(): void {
    this.#isPaused = true;
    this.#timer?.cancel();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#missedUntilMs = this.#nowMs();
    for (const refire of this.#held.splice(0)) void this.#track(refire());
    this.#tick();
  }

  /** Says how a slot that was running ended. Nothing where it had ended. Waits for no room on the disk. */
  async settled(slot: SlotKey, end: SlotEnd, turn?: string): Promise<void> {
    const name = slotName(slot);
    const entry = this.#going.get(name);
    if (entry === undefined) return;
    this.#going.delete(name);
    await this.#track(this.#end(entry, slot, end, turn));
  }

  /** In no particular order. Nothing is computed for it. */
  list(root?: string): readonly RoutineLine[] {
    return this.#roster.lines(root);
  }

  /** Resolves when nothing is being claimed or run; what is `running` elsewhere is not waited for. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Fires nothing more; resolves when what ran has ended. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#timer?.cancel();
    await this.#off?.();
    await this.idle();
  }

  async #place(root: string, kind: DatabaseKind): Promise<RoutinePlace | undefined> {
    const { placeOf, store, zone } = this.#options;
    const place = await placeOf(root, kind);
    if (place === undefined) return undefined;
    this.#placed.set(root, place);
    for await (const page of loadRoutines({ store, place, zone, nowMs: this.#nowMs() })) {
      await this.#load(page);
      const reason = `it has more than ${routineLimits.routines} routines; the others do not fire`;
      if (page.isCut) this.#options.report({ code: 'routine_unfired', routine: root, reason });
    }
    return place;
  }

  async #load({ entries, statements }: LoadedRoutines): Promise<void> {
    if (statements.length > 0) await this.#options.store.write(statements, 'normal');
    for (const entry of entries) {
      this.#roster.keep(entry);
      this.#roster.follow(entry, entry.next);
    }
  }

  async #recover(): Promise<void> {
    const { store, boot, fateOf } = this.#options;
    for (const slot of await openSlots(store)) {
      if (slot.boot === boot) continue;
      const entry = this.#roster.find(slot.database, slot.routine);
      const fate = await fateOf(slot);
      if (entry === undefined) {
        await store.write([endSlot(slot, lost(fate), this.#nowMs())]);
        continue;
      }
      entry.running += 1;
      if (fate.state === 'running') this.#going.set(slotName(slot), entry);
      else if (fate.state === 'again') {
        const refire = () => this.#refire(entry, slot);
        if (this.#isPaused) this.#held.push(refire);
        else void this.#track(refire());
      } else await this.#end(entry, slot, fate);
    }
  }

  /** Nothing of it ran: its claim is this start's now. What cannot be read now is left to the next start. */
  async #refire(entry: RoutineEntry, slot: SlotRow): Promise<void> {
    try {
      const row = await currentRow(entry.place, entry.routine, this.#options.zone);
      const why = await this.#options.heldBack?.(entry.place);
      if (why !== undefined) await this.#end(entry, slot, { state: 'skipped', code: why });
      else if (row?.reading?.ok === true) {
        const { routine } = row.reading;
        await this.#fire(entry, { slot, lateMs: slot.lateMs, record: row.record, routine });
      } else await this.#end(entry, slot, { state: 'skipped', code: 'routine_gone' });
    } catch (error) {
      entry.running = Math.max(0, entry.running - 1);
      this.#told(entry, error);
    }
  }

  /** What fired while the wall clock was ahead would not be due before it comes there again: its next moment is computed anew. */
  async #rewind(): Promise<void> {
    const now = this.#nowMs();
    for (const { database, routine } of await ranAhead(this.#options.store, now)) {
      const entry = this.#roster.find(database, routine);
      const row =
        entry === undefined ? undefined : await currentRow(entry.place, routine, this.#options.zone);
      if (entry === undefined || entry.running > 0 || row?.reading?.ok !== true) continue;
      const { trigger, enabled, jitterSecs } = row.reading.routine;
      if (row.record !== entry.record || !enabled || trigger.kind === 'at') continue;
      this.#roster.follow(entry, nextDue(trigger, now), jitterSecs);
      await this.#options.store.write([this.#stateOf(entry)], 'normal');
    }
  }

  async #adopt(entry: RoutineEntry, { record, reading }: RoutineRow): Promise<void> {
    const { database } = entry.place;
    if (reading === undefined) {
      this.#roster.drop(entry);
      await this.#options.store.write([forgetState(database.root, entry.routine)], 'normal');
      return;
    }
    const isDue = reading.ok && reading.routine.enabled;
    entry.record = record;
    entry.next = isDue ? nextDue(reading.routine.trigger, this.#nowMs()) : null;
    entry.failures = 0;
    entry.away = null;
    entry.lastCode = reading.ok ? null : 'routine_invalid';
    this.#roster.keep(entry);
    this.#roster.follow(entry, entry.next, isDue ? reading.routine.jitterSecs : 0);
    await this.#options.store.write([this.#stateOf(entry)], 'normal');
  }

  #tick(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#isPaused || this.#stop.signal.aborted) return;
    const now = this.#nowMs();
    const aheadMs = now - this.#options.clock.monotonicMs();
    if (aheadMs < this.#aheadMs - routineLimits.graceMs)
      void this.#track(
        this.#rewind()
          .catch((error: unknown) => this.#toldOf('', error))
          .finally(() => this.#tick()),
      );
    this.#aheadMs = aheadMs;
    while (this.#firing < routineLimits.firing) {
      const { first } = this.#roster;
      if (first === undefined) return;
      if (first.atMs > now) break;
      this.#roster.take(first);
      this.#firing += 1;
      void this.#track(
        this.#due(first).finally(() => {
          this.#firing -= 1;
          this.#tick();
        }),
      );
    }
    const next = this.#roster.first;
    if (next === undefined || this.#firing === routineLimits.firing) return;
    const sleepMs = Math.min(Math.max(0, next.atMs - now), routineLimits.sleepMs);
    this.#timer = this.#options.clock.setTimer(sleepMs, () => this.#tick(), { unref: true });
  }

  /** What cannot be read or claimed now is tried again. What ran has its claim, and does not run again. */
  async #due(entry: RoutineEntry): Promise<void> {
    try {
      await this.#look(entry);
    } catch (error) {
      this.#told(entry, error);
      this.#lookAgain(entry);
    }
  }

  #lookAgain(entry: RoutineEntry): void {
    if (this.#roster.isKept(entry)) this.#roster.lookAt(entry, this.#nowMs() + routineLimits.retryMs);
  }

  async #look(entry: RoutineEntry): Promise<void> {
    const { store, boot, zone, heldBack } = this.#options;
    const { place, next: dueMs } = entry;
    const row = await currentRow(place, entry.routine, zone);
    if (row === undefined || dueMs === null) return;
    if (row.record !== entry.record) return await this.#adopt(entry, row);
    if (row.reading?.ok !== true) return;
    const { routine } = row.reading;
    const now = this.#nowMs();
    const slotOf = (due: number): SlotKey => ({ database: place.database.root, routine: entry.routine, due });
    const delayedMs = dueMs + jitterMs(slotOf(dueMs), routine.jitterSecs);
    if (delayedMs > now) return this.#roster.lookAt(entry, delayedMs);
    const { run, missed, isMoreMissed, next } = dueSlots(routine, dueMs, now, this.#missedUntilMs);
    const [first, ...more] = run;
    const after = next ?? (routine.trigger.kind === 'every' ? nextDue(routine.trigger, now) : null);
    const statements: Statement[] = missed.map((due, index) => {
      const reason = due <= this.#missedUntilMs ? 'slot_paused' : entry.away;
      const code = index === 0 && isMoreMissed ? 'slots_more_missed' : reason;
      return passSlot(slotOf(due), { state: 'missed', code }, boot, now);
    });
    const why =
      (await heldBack?.(place)) ??
      (entry.running > 0 && routine.overlap === 'skip' ? 'slot_overlap' : undefined);
    // Its row has changed meanwhile, and was read: what follows would be about the old one.
    if (entry.record !== row.record) return;
    // A slot that could not begin, or a clock that was put back, may have said another moment meanwhile.
    const isStill = () => entry.record === row.record && entry.next === dueMs;
    // What is written would pass over that moment on the disk.
    if (!isStill()) return this.#lookAgain(entry);
    if (first === undefined || why !== undefined) {
      const code = why ?? null;
      statements.push(...run.map((due) => passSlot(slotOf(due), { state: 'skipped', code }, boot, now)));
      if (routine.trigger.kind === 'at') return await this.#takeOut(entry, statements);
      await store.write([keepNext(place.database.root, row, after), ...statements]);
      if (isStill()) this.#roster.follow(entry, after, routine.jitterSecs);
      return;
    }
    const slot = slotOf(first);
    const following = more[0] ?? after;
    const lateMs = Math.max(0, now - first);
    const { changes } = await store.write([
      claimSlot(slot, boot, lateMs, now),
      keepNext(place.database.root, row, following),
      ...statements,
    ]);
    const isMine = changes[0] === 1;
    if (isMine) entry.running += 1;
    if (isStill()) {
      const isCatchingUp = more.length > 0 && routine.overlap === 'skip';
      // An interval counts from the end of this firing.
      entry.isWaiting = isMine && (routine.trigger.kind !== 'cron' || isCatchingUp);
      if (entry.isWaiting) entry.next = following;
      else this.#roster.follow(entry, following, more.length > 0 ? 0 : routine.jitterSecs);
    }
    this.#tick();
    if (isMine) await this.#fire(entry, { slot, lateMs, record: row.record, routine });
  }

  async #fire(entry: RoutineEntry, claim: Claim): Promise<void> {
    const { fire } = this.#options;
    const { slot, lateMs, routine } = claim;
    const name = slotName(slot);
    this.#going.set(name, entry);
    let end: FiringEnd;
    try {
      end = await fire({ place: entry.place, slot, lateMs, routine, signal: this.#stop.signal });
    } catch (error) {
      this.#told(entry, error);
      end = { state: 'unknown', code: 'routine_unfired' };
    }
    if (end.state === 'running' || !this.#going.delete(name)) return;
    if (end.state === 'not_started') await this.#free(entry, claim, end.code);
    else await this.#end(entry, slot, end);
  }

  /** Nothing of it ran, so it is due still: it is tried again while it is in time, or for as long as its routine wants it late. */
  async #free(entry: RoutineEntry, { slot, record }: Claim, code: string): Promise<void> {
    const { store, report } = this.#options;
    const { routine } = entry;
    const { root } = entry.place.database;
    const isSame = () => entry.record === record && this.#roster.isKept(entry);
    entry.running = Math.max(0, entry.running - 1);
    if (!isSame()) {
      // Its row has changed meanwhile, and that one says what is due, or its session was closed.
      const ended = endSlot(slot, { state: 'skipped', code }, this.#nowMs());
      await this.#written(slot, async () => void (await store.write([ended])));
      return;
    }
    if (entry.away !== code) report({ code: 'routine_unfired', routine, reason: code });
    entry.away = code;
    entry.lastCode = code;
    await this.#written(slot, async () => {
      const next = Math.min(slot.due, entry.next ?? slot.due);
      // Before the write, so that no look at a later slot writes behind it that this one is past.
      if (isSame()) entry.next = next;
      await store.write([freeSlot(slot), keepNext(root, { routine, record }, next)]);
      if (!isSame()) return;
      entry.next = Math.min(next, entry.next ?? next);
      entry.isWaiting = false;
      const now = this.#nowMs();
      // The later it is, the less it matters when exactly somebody is there again.
      const pauseMs = Math.min(Math.max(now - slot.due, routineLimits.retryMs), routineLimits.awayMs);
      this.#roster.lookAt(entry, now + pauseMs);
      this.#tick();
    });
  }

  /** What comes next waits for the end of the slot, and not for the disk to take that. */
  async #end(entry: RoutineEntry, slot: SlotKey, end: SlotEnd, turn?: string): Promise<void> {
    const { store } = this.#options;
    const now = this.#nowMs();
    entry.running = Math.max(0, entry.running - 1);
    entry.away = null;
    const isFailure = end.state === 'unknown' || end.outcome === 'failed';
    if (isFailure) entry.failures += 1;
    else if (end.outcome === 'completed') entry.failures = 0;
    if (end.state !== 'skipped') entry.lastCode = end.code ?? null;
    const routine = await this.#current(entry);
    const { record } = entry;
    // Its row may have been switched off while it ran: then it stays as it is, and nothing is due.
    const isOver = routine?.trigger.kind === 'at' && routine.enabled;
    const most = routine?.maxFailures ?? 0;
    const isOff = isFailure && most > 0 && entry.failures >= most;
    const isWaiting = entry.isWaiting || routine?.trigger.kind === 'every';
    entry.isWaiting = false;
    if (isOver || isOff || routine?.enabled === false) entry.next = null;
    else if (routine?.trigger.kind === 'every') entry.next = nextDue(routine.trigger, now);
    if (entry.next === null) this.#roster.take(entry);
    else if (isWaiting && this.#roster.isKept(entry)) this.#roster.follow(entry, entry.next);
    this.#tick();
    const statements = [endSlot(slot, end, now, turn ?? null), ...this.#prune(now)];
    await this.#written(slot, async () => {
      // Another version of its row, or none, may have come while the disk was full: that stands.
      const isSame = routine !== undefined && entry.record === record && this.#roster.isKept(entry);
      if (!isSame) await store.write(statements);
      else if (isOver) await this.#takeOut(entry, statements);
      else if (isOff) await this.#switchOff(entry, statements);
      else await store.write([...statements, this.#stateOf(entry)]);
    });
  }

  /** As its row says, where that is the version that its entry has. What cannot be read now takes no end away from its slot. */
  async #current(entry: RoutineEntry): Promise<Routine | undefined> {
    try {
      const row = await currentRow(entry.place, entry.routine, this.#options.zone);
      return row?.reading?.ok === true && row.record === entry.record ? row.reading.routine : undefined;
    } catch (error) {
      this.#told(entry, error);
      return undefined;
    }
  }

  /** Writes what became of a slot. Where the disk does not take it now it is owed, and nobody waits for that. */
  async #written(slot: SlotKey, write: () => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#options.owed.written(slotName(slot), write, () => resolve()).then(resolve, reject);
    await promise;
  }

  /** It has failed as often in a row as it may. */
  async #switchOff(entry: RoutineEntry, statements: readonly Statement[]): Promise<void> {
    const off = (value: Json) => (isJsonObject(value) ? { ...value, enabled: false } : null);
    if (!(await this.#rewrite(entry, off, statements))) return;
    this.#roster.take(entry);
    const { routine, lastCode } = entry;
    this.#options.report({ code: 'routine_disabled', routine, reason: lastCode ?? 'unknown' });
  }

  /** A one-shot is over, however its slot ended: its row goes with it. */
  async #takeOut(entry: RoutineEntry, statements: readonly Statement[]): Promise<void> {
    if (await this.#rewrite(entry, () => null, statements)) this.#roster.drop(entry);
  }

  /**
   * Writes the routine's own row, with its state and with what else belongs to it; nothing is due any more. False where somebody has changed
   * the row meanwhile: that stands, and only the rest is written.
   */
  async #rewrite(
    entry: RoutineEntry,
    change: (value: Json) => Json,
    statements: readonly Statement[],
  ): Promise<boolean> {
    const { peer, store } = this.#options;
    const { database } = entry.place;
    const { table, key } = rowOf(entry.routine);
    const row = await database.latest(table).get(key);
    if (row === undefined || row.id !== entry.record) {
      await store.write(statements);
      return false;
    }
    const ref = await peer.transaction((tx) => {
      const record = tx.on(database).put(table, key, change(row.value));
      for (const { sql, parameters } of statements) tx.write(sql, parameters);
      const state = [database.root, entry.routine, record, null, entry.failures, entry.lastCode];
      tx.write(KEEP_STATE, state);
      return record;
    });
    entry.record = ref.id;
    entry.next = null;
    return true;
  }

  #stateOf({ place, routine, record, next, failures, lastCode }: RoutineEntry): Statement {
    return keepState(place.database.root, { routine, record, next, failures, last_code: lastCode });
  }

  #prune(now: number): readonly Statement[] {
    if (now - this.#prunedAtMs < routineLimits.pruneMs) return [];
    this.#prunedAtMs = now;
    return [pruneSlots(now)];
  }

  #told(entry: RoutineEntry, error: unknown): void {
    this.#toldOf(entry.routine, error);
  }

  #toldOf(routine: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : 'unknown';
    this.#options.report({ code: 'routine_unfired', routine, reason });
  }

  async #track(work: Promise<void>): Promise<void> {
    this.#work.add(work);
    try {
      await work;
    } finally {
      this.#work.delete(work);
    }
  }

  #nowMs(): number {
    return Math.floor(this.#options.clock.wallMs());
  }
}

/** Its routine is gone: nobody fires it again. */
function lost(fate: SlotFate): SlotEnd {
  return fate.state === 'again' || fate.state === 'running'
    ? { state: 'unknown', code: 'routine_gone' }
    : fate;
}
