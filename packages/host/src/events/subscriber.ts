import type { Entry, UnknownEntry } from '../entries/entry.ts';
import { eventLimits } from '../limits.ts';
import type { EventSink, HeardEvent, SessionEvent, Subscription } from './session-event.ts';

type Entries = readonly (Entry | UnknownEntry)[];
type Arrived = { readonly cursor: number; readonly entries: Entries };

/** One who listens to a session: first what it missed, meanwhile what arrives is kept; then everything as it happens. */
export class Subscriber implements Subscription {
  readonly #sink: EventSink;
  readonly #now: () => readonly SessionEvent[];
  readonly #closed: () => void;
  #heard: number;
  #state: 'catching_up' | 'live' | 'behind' | 'closed' = 'catching_up';
  /** What arrived while it caught up; undefined once that became too much. */
  #kept: Arrived[] | undefined = [];

  constructor(
    sink: EventSink,
    now: () => readonly SessionEvent[],
    options: { readonly heard: number; readonly closed: () => void },
  ) {
    this.#sink = sink;
    this.#now = now;
    this.#heard = options.heard;
    this.#closed = options.closed;
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Entries that it missed, in order. */
  write(cursor: number, entries: Entries): void {
    if (this.#state !== 'catching_up') return;
    this.#entries({ cursor, entries });
  }

  /** What it missed is too much: it reads again. */
  missed(upTo: number): void {
    this.#heard = upTo;
    this.#give({ kind: 'reset' });
  }

  /** It knows what was: from here on it hears what is. */
  live(): void {
    const kept = this.#kept;
    this.#kept = [];
    if (this.#state !== 'catching_up') return;
    this.#state = 'live';
    if (kept === undefined) this.#give({ kind: 'reset' });
    for (const arrived of kept ?? []) this.#entries(arrived);
    for (const event of this.#now()) this.#give(event);
  }

  arrived(cursor: number, entries: Entries): void {
    if (this.#state === 'live') this.#entries({ cursor, entries });
    if (this.#state !== 'catching_up' || this.#kept === undefined || entries.length === 0) return;
    if (this.#kept.length < eventLimits.kept) this.#kept.push({ cursor, entries });
    else this.#kept = undefined;
  }

  /** While it catches up nothing is lost: what the step said so far is given afterwards. */
  event(event: SessionEvent): void {
    if (this.#state === 'live') this.#give(event);
  }

  drained(): void {
    if (this.#state !== 'behind') return;
    this.#state = 'live';
    this.#give({ kind: 'reset' });
    for (const event of this.#now()) this.#give(event);
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#closed();
  }

  #entries({ cursor, entries }: Arrived): void {
    if (cursor <= this.#heard) return;
    this.#heard = cursor;
    for (const [index, entry] of entries.entries()) {
      // Of entries that were written together only the last one says that all of them were heard.
      const isLast = index === entries.length - 1;
      this.#give({ kind: 'entry', cursor: isLast ? cursor : cursor - 1, entry });
    }
  }

  #give(event: HeardEvent): void {
    if (this.#state !== 'live' && this.#state !== 'catching_up') return;
    try {
      if (!this.#sink(event)) this.#state = 'behind';
    } catch {
      this.close();
    }
  }
}
