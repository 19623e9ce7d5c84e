/** Makes the call of number `index`; rejects when its answer is wrong. */
export type Call = (index: number) => Promise<void>;

/** Calls at the head of a block that do not count: they find the caches that another variant left. */
const UNCOUNTED_CALLS = 10;

/** Makes `calls` calls one after another and gives what each took, in microseconds. */
export async function callBlock(calls: number, call: Call): Promise<number[]> {
  for (let index = 0; index < UNCOUNTED_CALLS; index += 1) await call(index);
  const samples: number[] = new Array<number>(calls);
  let before = performance.now();
  for (let index = 0; index < calls; index += 1) {
    await call(index);
    const after = performance.now();
    samples[index] = (after - before) * 1000;
    before = after;
  }
  return samples;
}
