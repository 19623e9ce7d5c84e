import { DueQueue } from './due-queue.ts';
import { jitterMs } from './jitter.ts';
import type { RoutineEntry } from './routine-entry.ts';
import type { RoutinePlace } from './routine-rows.ts';

/** A routine as a list shows it. */
export interface RoutineLine {
  readonly database: string;
  readonly kind: RoutinePlace['kind'];
  readonly routine: string;
  /** Milliseconds since 1970; null where nothing is due. */
  readonly next: number | null;
  readonly failures: number;
  readonly lastCode: string | null;
  readonly running: number;
}

/** The routines that are known, and which of them is due next. An entry that is being looked at stands in no queue. */
export class RoutineRoster {
  /** By root id and name. */
  readonly #entries = new Map<string, Map<string, RoutineEntry>>();
  readonly #queue = new DueQueue<RoutineEntry>();

  /** What is due first. */
  get first(): RoutineEntry | undefined {
    return this.#queue.first;
  }

  find(root: string, routine: string): RoutineEntry | undefined {
    return this.#entries.get(root)?.get(routine);
  }

  keep(entry: RoutineEntry): void {
    const { root } = entry.place.database;
    const entries = this.#entries.get(root) ?? new Map<string, RoutineEntry>();
    entries.set(entry.routine, entry);
    this.#entries.set(root, entries);
  }

  isKept(entry: RoutineEntry): boolean {
    return this.find(entry.place.database.root, entry.routine) === entry;
  }

  drop(entry: RoutineEntry): void {
    this.#queue.remove(entry);
    this.#entries.get(entry.place.database.root)?.delete(entry.routine);
  }

  /** Drops every routine of a database. */
  leave(root: string): void {
    for (const entry of this.#entries.get(root)?.values() ?? []) this.#queue.remove(entry);
    this.#entries.delete(root);
  }

  /** Its next moment is known now: it waits for that, delayed by at most so many seconds. */
  follow(entry: RoutineEntry, next: number | null, jitterSecs = 0): void {
    entry.next = next;
    if (next === null) this.#queue.remove(entry);
    else {
      const slot = { database: entry.place.database.root, routine: entry.routine, due: next };
      this.#queue.set(entry, next + jitterMs(slot, jitterSecs));
    }
  }

  /** It is looked at again at this moment, whenever it is due. */
  lookAt(entry: RoutineEntry, atMs: number): void {
    this.#queue.set(entry, atMs);
  }

  /** Out of the queue: somebody looks at it, or nothing is due. */
  take(entry: RoutineEntry): void {
    this.#queue.remove(entry);
  }

  /** In no particular order. */
  lines(root?: string): readonly RoutineLine[] {
    const of = root === undefined ? [...this.#entries.values()] : [this.#entries.get(root) ?? new Map()];
    return of.flatMap((entries: ReadonlyMap<string, RoutineEntry>) => [...entries.values()].map(lineOf));
  }
}

function lineOf({ place, routine, next, failures, lastCode, running }: RoutineEntry): RoutineLine {
  const { kind, database } = place;
  return { database: database.root, kind, routine, next, failures, lastCode, running };
}
