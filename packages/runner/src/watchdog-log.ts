import type { WatchdogEvent } from '@fairlead/process';
import type { RunnerLog } from './log.ts';

/** Writes what becomes of the Runner's watchdog: from a loss to the next start, a killed Runner would leave its plugins. */
export function logWatchdog(log: RunnerLog, event: WatchdogEvent): void {
  if (event.kind === 'restarted') log('info', 'watchdog.restarted');
  else if (event.kind === 'unavailable') log('error', 'watchdog.unavailable', { code: event.code });
  else {
    const end = event.signal === null ? { code: event.code ?? 0 } : { signal: event.signal };
    log('warn', 'watchdog.lost', { ...end, restart_ms: event.restartMs });
  }
}
