import type { Clock } from '@fairlead/base';
import type { Moment } from './moment.ts';

/** What came of something that had a time: its value, or `late`. What it throws is thrown on; what comes later is nobody's. */
export async function within<T>(
  clock: Clock,
  budgetMs: number,
  work: Promise<T>,
  givenUp?: Moment,
): Promise<{ readonly value: T } | 'late' | 'given_up'> {
  let timer: { cancel(): void } | undefined;
  const early = Promise.withResolvers<void>();
  const letGo = givenUp?.tell(early.resolve);
  const late = new Promise<'late'>((resolve) => {
    timer = clock.setTimer(budgetMs, () => resolve('late'));
  });
  // Whoever gives up does not look at what it still throws.
  work.catch(() => {});
  try {
    return await Promise.race([
      work.then((value) => ({ value })),
      late,
      early.promise.then(() => 'given_up' as const),
    ]);
  } finally {
    timer?.cancel();
    letGo?.();
  }
}
