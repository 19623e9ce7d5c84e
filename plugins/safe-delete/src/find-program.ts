import { posix, win32 } from 'node:path';
import type { Disk } from './disk.ts';
import type { PathStyle } from './requested-path.ts';

export interface FindProgramOptions {
  readonly disk: Disk;
  /** The value of `PATH`. */
  readonly searchPath: string | undefined;
  readonly style: PathStyle;
}

/**
 * Finds a program on the PATH, or answers null. Entries that are not absolute are passed over: they would lead into the folder
 * that this plugin works in, where anybody may have left a program of that name.
 */
export async function findProgram(
  fileName: string,
  { disk, searchPath = '', style }: FindProgramOptions,
): Promise<string | null> {
  const path = style === 'windows' ? win32 : posix;
  for (const folder of searchPath.split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    const candidate = path.join(folder, fileName);
    if (await disk.isProgram(candidate)) return candidate;
  }
  return null;
}
