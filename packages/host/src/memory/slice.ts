import { memoryLimits } from '../limits.ts';

/** Gives the thread back where a piece of work has had its slice of it: what `pause` returns is to be waited for. */
export function slices(nowMs: () => number): () => Promise<void> | undefined {
  let since = nowMs();
  return () => {
    if (nowMs() - since < memoryLimits.sliceMs) return undefined;
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      since = nowMs();
    });
  };
}
