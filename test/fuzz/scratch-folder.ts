import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder in memory where the machine has one: many small files need not wait for a disk. */
export function scratchFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'fairlead-fuzz-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
