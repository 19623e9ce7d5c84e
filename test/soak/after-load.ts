import { waitFor } from '@fairlead/testing';
import type { Sample, SeriesVerdict } from './verdict.ts';

/** What a load takes and gives back: when nothing is under way, there is no more of it than when the load had warmed up. */
const GIVEN_BACK = /^tree\.processes$|\.descriptors$/;

/** Connections that nobody uses are closed after some seconds. */
const GIVEN_BACK_LIMIT_MS = 30_000;

/** What is still held when the load has been over for a while. */
export async function heldAfterLoad(
  verdicts: readonly SeriesVerdict[],
  sampleNow: () => Sample,
): Promise<readonly string[]> {
  let held: readonly string[] = [];
  const isGivenBack = () => {
    held = stillHeld(verdicts, sampleNow());
    return held.length === 0;
  };
  await waitFor(isGivenBack, {
    what: 'what the load took to be given back',
    ...{ timeoutMs: GIVEN_BACK_LIMIT_MS, intervalMs: 1_000 },
  }).catch(() => {});
  return held;
}

/** What is still held in a sample that was taken behind the load. */
export function stillHeld(
  verdicts: readonly SeriesVerdict[],
  { values }: Pick<Sample, 'values'>,
): readonly string[] {
  return verdicts.flatMap(({ series, startLevel, allowance }) => {
    const value = values[series];
    if (!GIVEN_BACK.test(series) || value === undefined || value <= startLevel + allowance) return [];
    return [
      `${series} is ${value} after the load: it was ${startLevel} at first, ${allowance} more are allowed`,
    ];
  });
}
