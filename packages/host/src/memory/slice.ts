import { memoryLimits } from '../limits.ts';

/** Lets everything else that waits go first. */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Gives the thread back where a piece of work has had its slice of it: what `pause` returns is to be waited for. */
export function slices(nowMs: () => number): () => Promise<void> | undefined {
  let since = nowMs();
  return () => {
    if (nowMs() - since < memoryLimits.sliceMs) return undefined;
    return nextTurn().then(() => {
      since = nowMs();
    });
  };
}
