import type { Clock } from '@fairlead/base';

/** What came of something that had a time: its value, or `late`. What it throws is thrown on; what comes later is nobody's. */
export async function within<T>(
  clock: Clock,
  budgetMs: number,
  work: Promise<T>,
  given: Promise<unknown> = new Promise(() => {}),
): Promise<{ readonly value: T } | 'late' | 'given_up'> {
  let timer: { cancel(): void } | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = clock.setTimer(budgetMs, () => resolve('late'));
  });
  // Whoever gives up does not look at what it still throws.
  work.catch(() => {});
  try {
    return await Promise.race([
      work.then((value) => ({ value })),
      late,
      given.then(() => 'given_up' as const),
    ]);
  } finally {
    timer?.cancel();
  }
}
