import { join } from 'node:path';

/** Where the host logs, the Runner that shares its process included. */
export function hostLogPath(stateDirectory: string): string {
  return join(stateDirectory, 'log/fairlead.log');
}

/** Where a Runner with a process of its own logs. The id is one that `isRunnerId` takes. */
export function runnerLogPath(stateDirectory: string, runnerId: string): string {
  return join(stateDirectory, `log/runner-${runnerId}.log`);
}
