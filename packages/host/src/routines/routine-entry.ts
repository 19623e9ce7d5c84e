import type { DueItem } from './due-queue.ts';
import type { RoutinePlace } from './routine-rows.ts';

/** One routine in memory: no more than what says when it is due. Its row is read when it fires. */
export class RoutineEntry implements DueItem {
  readonly place: RoutinePlace;
  readonly routine: string;
  atMs = 0;
  index = -1;
  /** The version of the row that the rest was read from. */
  record = '';
  next: number | null = null;
  failures = 0;
  lastCode: string | null = null;
  /** Why the newest slot could not begin; null where it has. */
  away: string | null = null;
  /** Slots that have begun and not ended. */
  running = 0;
  /** The next slot is looked at when this one has ended: an interval counts from there, and missed slots run one after another. */
  isWaiting = false;

  constructor(place: RoutinePlace, routine: string) {
    this.place = place;
    this.routine = routine;
  }
}
