import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes an empty folder (mode 0700, or `mode`), removed with everything in it when the test ends. Returns its real path, kept
 * short so that a socket's path fits.
 */
export function temporaryFolder(
  t: { after(hook: () => void): void },
  options: { readonly mode?: number } = {},
): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 't-')));
  if (options.mode !== undefined) chmodSync(folder, options.mode);
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
