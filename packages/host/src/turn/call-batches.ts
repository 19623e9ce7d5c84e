import type { Effect } from '../policy/tool-policy.ts';

/** The calls of one reply in the order in which they run: neighbours that only read together, any other alone, after all before it. */
export function callBatches<Call>(
  calls: readonly Call[],
  effectOf: (call: Call) => Effect,
): readonly (readonly Call[])[] {
  const batches: Call[][] = [];
  let reads: Call[] | undefined;
  for (const call of calls) {
    const isRead = effectOf(call) === 'read';
    if (isRead && reads !== undefined) {
      reads.push(call);
      continue;
    }
    const batch = [call];
    batches.push(batch);
    reads = isRead ? batch : undefined;
  }
  return batches;
}

/** Runs one batch, `most` at a time; the next begins where one ended. Answers in the order of the batch. Rejects when all have ended. */
export async function runBatch<Call, End>(
  batch: readonly Call[],
  most: number,
  run: (call: Call) => Promise<End>,
): Promise<readonly End[]> {
  const [only] = batch;
  if (batch.length === 1 && only !== undefined) return [await run(only)];
  const ends: End[] = [];
  const waiting = batch.entries();
  const work = async () => {
    for (const [index, call] of waiting) ends[index] = await run(call);
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(most, batch.length) }, work));
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  return ends;
}
