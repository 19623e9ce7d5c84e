const HOUR_MS = 3_600_000;
/** No day anywhere is longer: 24 hours, and the hours that a zone has ever put in. */
const LONGEST_DAY_MS = 50 * HOUR_MS;

/** A zone's days. `zone` is an IANA name; an unknown one throws a `RangeError`, see `isZone`. */
export class CalendarDays {
  readonly #format: Intl.DateTimeFormat;
  #known: { readonly day: string; readonly fromMs: number; readonly untilMs: number } | undefined;

  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-u-ca-iso8601', {
      timeZone: zone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  }

  /** The date of a moment there, `YYYY-MM-DD`. */
  dayOf(wallMs: number): string {
    const known = this.#known;
    if (known !== undefined && wallMs >= known.fromMs && wallMs < known.untilMs) return known.day;
    const day = this.#read(wallMs);
    // Asked at each call of a model, and Intl is slow. Only what lies between two moments of the same day is taken as known.
    this.#known = { day, fromMs: wallMs, untilMs: this.#endOf(wallMs, day) };
    return day;
  }

  /** When the day of a moment ends there: the first millisecond of the next, whatever the clocks do in between. */
  endMs(wallMs: number): number {
    this.dayOf(wallMs);
    return this.#known?.untilMs ?? wallMs;
  }

  #endOf(wallMs: number, day: string): number {
    let inside = wallMs;
    let outside = wallMs + LONGEST_DAY_MS;
    while (outside - inside > 1) {
      const middle = Math.floor((inside + outside) / 2);
      if (this.#read(middle) === day) inside = middle;
      else outside = middle;
    }
    return outside;
  }

  #read(wallMs: number): string {
    const parts = this.#format.formatToParts(wallMs);
    const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
    return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
  }
}

/** True for an IANA name of a time zone that this Node knows. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
