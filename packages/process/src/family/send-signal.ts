/** Sends a signal to a process, or to a group by its negative number. A process that is gone, or foreign, is no error. */
export type SendSignal = (pid: number, signal: 'SIGSTOP' | 'SIGKILL') => void;

/** Through the system. */
export const sendSignal: SendSignal = (pid, signal) => {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone in the meantime, or not ours to signal: the next look tells.
  }
};
