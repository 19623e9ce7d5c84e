import { setTimeout as pause } from 'node:timers/promises';
import { BACKUP_ATTEMPTS } from '../limits.ts';
import { resultCode } from './sqlite-fault.ts';

/** BUSY, LOCKED, and what Node makes of either in the first step of a copy: an error whose number says that there is none. */
const WRITTEN_MEANWHILE: ReadonlySet<number> = new Set([0, 5, 6]);
const PAUSE_MS = 5;

/**
 * Copies a database in which somebody may write at that moment. The engine refuses the first step of a copy while a transaction is open
 * on the same connection, where it would wait for one in another process; so it is begun again, for 10 s or so at most. Rejects as `copy` does.
 */
export async function copyWhileWritten(
  copy: () => Promise<unknown>,
  attempts: number = BACKUP_ATTEMPTS,
): Promise<void> {
  for (let left = attempts; ; left -= 1) {
    try {
      await copy();
      return;
    } catch (error) {
      const code = resultCode(error);
      if (code === undefined || !WRITTEN_MEANWHILE.has(code) || left <= 1) throw error;
    }
    await pause(PAUSE_MS);
  }
}
