import { type Finding, ill, well } from './finding.ts';

/** Where clocks part by more than this, log lines and the ends of tokens no longer mean the same on both sides. */
const toleratedMs = 30_000;

/**
 * Compares this machine's clock with the `Date` header of a gateway's answer, which has whole seconds. `askedMs` and
 * `answeredMs` are this machine's wall clock around the request.
 */
export function checkClock(asked: {
  readonly url: string;
  readonly date: string | null;
  readonly askedMs: number;
  readonly answeredMs: number;
}): Finding[] {
  const check = 'clock';
  const theirs = asked.date === null ? Number.NaN : Date.parse(asked.date);
  if (Number.isNaN(theirs)) return [];
  const earliest = theirs - asked.answeredMs;
  const latest = theirs + 1000 - asked.askedMs;
  const skewMs = Math.max(earliest, 0) + Math.min(latest, 0);
  if (Math.abs(skewMs) <= toleratedMs) return [well(check, `it agrees with that of ${asked.url}`)];
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const way = skewMs > 0 ? 'behind' : 'ahead of';
  return [
    ill('warn', {
      check,
      what: `this machine's clock is ${seconds} s ${way} that of ${asked.url}`,
      code: 'gateway_clock_skew',
    }),
  ];
}
