import { judgedSeries, type Series } from './series.ts';
import type { Sample, SeriesVerdict } from './verdict.ts';

/** A series has to have a sample in the last tenth of the time: what ended before is not flat. */
const LAST_SHARE = 0.1;

/** Series of which nobody can say whether they were flat: they were never sampled, or ended, or have too few samples. */
export function coverageFaults(
  samples: readonly Sample[],
  verdicts: readonly SeriesVerdict[],
  judged: readonly Series[] = judgedSeries,
): readonly string[] {
  const first = samples[0]?.atMs ?? 0;
  const last = samples.at(-1)?.atMs ?? 0;
  const late = samples.filter(({ atMs }) => atMs >= last - (last - first) * LAST_SHARE);
  const unknown = new Set(
    verdicts.filter(({ judgement }) => judgement === 'unknown').map(({ series }) => series),
  );
  return judged.flatMap(({ name }) => {
    if (!late.some(({ values }) => values[name] !== undefined))
      return [`${name} has no sample in the last tenth of the time`];
    return unknown.has(name) ? [`${name} has too few samples to be judged`] : [];
  });
}
