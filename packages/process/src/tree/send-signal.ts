import type { SendSignal } from './end-family.ts';

/** Through the system. */
export const sendSignal: SendSignal = (pid, signal) => {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone in the meantime, or not ours to signal: the next look tells.
  }
};
