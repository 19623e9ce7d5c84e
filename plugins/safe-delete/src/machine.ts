import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import type { Environment } from './child-environment.ts';
import { gioTrash, type ProgramBackendOptions, trashPut } from './desktop-programs.ts';
import { type Disk, lookAt, machineDisk } from './disk.ts';
import { openNamedFolder, openPinnedFolder } from './folder.ts';
import { foundationTrash } from './foundation.ts';
import { dataHomeOf, homeTrash } from './home-trash.ts';
import { recycleBin } from './recycle-bin.ts';
import type { PathStyle } from './requested-path.ts';
import type { RunProgram } from './run-program.ts';
import type { TrashBackend } from './trash-backend.ts';

export interface MachineOptions {
  /** As `process.platform`. What is neither `darwin` nor `win32` has the trash of the freedesktop specification. */
  readonly platform: string;
  readonly env: Environment;
  readonly run: RunProgram;
  readonly now: () => Date;
}

/** How paths are written on a platform. */
export function pathStyleOf(platform: string): PathStyle {
  return platform === 'win32' ? 'windows' : 'posix';
}

/** The ways to the trash of a platform, in the order in which they are tried. */
export function backendsOf(disk: Disk, options: MachineOptions): readonly TrashBackend[] {
  const { platform, env, run, now } = options;
  const program: ProgramBackendOptions = { disk, env, run };
  if (platform === 'darwin') return [foundationTrash(program)];
  if (platform === 'win32') return [recycleBin(program)];
  const randomName = (): string => randomBytes(8).toString('hex');
  const home = homeTrash({ disk, dataHome: dataHomeOf(env), now, randomName });
  return [home, gioTrash(program), trashPut(program)];
}

/** The machine's file system. Folders are pinned where that can be done: on a Linux with `/proc`. */
export async function diskOf(platform: string): Promise<Disk> {
  if (platform === 'linux' && (await lookAt('/proc/self/fd')) !== null) return machineDisk(openPinnedFolder);
  const separator = platform === 'win32' ? '\\' : '/';
  const realPath = (path: string): Promise<string> => realpath(path);
  return machineDisk((path) => openNamedFolder(path, { look: lookAt, realPath, separator }));
}
