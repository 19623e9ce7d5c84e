/** Makes the call of number `index` on one of the lanes that are open at once; rejects when its answer is wrong. */
export type LaneCall = (index: number, lane: number) => Promise<void>;

/** Calls at the head of a block that do not count: they find the caches that another variant left. */
const UNCOUNTED_CALLS = 16;

/**
 * Keeps so many calls in flight: each lane makes its next call when its last one was answered. Gives what each call took, in
 * microseconds, and how many ended in a second.
 */
export async function closedLoop(
  options: { readonly calls: number; readonly inFlight: number },
  call: LaneCall,
): Promise<{ readonly samplesUs: readonly number[]; readonly perSecond: number }> {
  const { calls, inFlight } = options;
  let next = 0;
  const samplesUs: number[] = [];
  const lane = async (number: number, end: number, isCounted: boolean) => {
    while (next < end) {
      const index = next;
      next += 1;
      const before = performance.now();
      await call(index, number);
      if (isCounted) samplesUs.push((performance.now() - before) * 1000);
    }
  };
  const lanes = (end: number, isCounted: boolean) =>
    Promise.all(Array.from({ length: inFlight }, (_, number) => lane(number, end, isCounted)));
  await lanes(UNCOUNTED_CALLS, false);
  next = 0;
  const startedMs = performance.now();
  await lanes(calls, true);
  return { samplesUs, perSecond: (calls * 1000) / (performance.now() - startedMs) };
}
