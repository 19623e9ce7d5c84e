import { setTimeout as pause } from 'node:timers/promises';

/** Long enough for a started Node to have compiled, collected and returned what it only needed to start. */
const SETTLE_MS = 3_000;

/** Lets a started process come to rest. */
export async function comeToRest(signal: AbortSignal): Promise<void> {
  await pause(SETTLE_MS, undefined, { signal });
}
