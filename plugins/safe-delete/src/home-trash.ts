import { join } from 'node:path/posix';
import type { Environment } from './child-environment.ts';
import { type Disk, errorCode, isSame } from './disk.ts';
import { NUMBERED_NAMES, RANDOM_NAMES } from './limits.ts';
import { isWithin, type Target } from './target.ts';
import type { BackendReport, TrashBackend } from './trash-backend.ts';
import { INFO_SUFFIX, trashInfo, trashName } from './trash-info.ts';

export interface HomeTrashOptions {
  readonly disk: Disk;
  /** The folder that holds `Trash`; null when the user has none. */
  readonly dataHome: string | null;
  readonly now: () => Date;
  /** 64 bits or more as text of letters and digits. */
  readonly randomName: () => string;
}

/**
 * Where a user's data are kept, or null when nothing says so.
 * Source: https://specifications.freedesktop.org/basedir-spec/latest/, which has a relative path ignored.
 */
export function dataHomeOf(env: Environment): string | null {
  const { XDG_DATA_HOME: named = '', HOME: home = '' } = env;
  if (named.startsWith('/')) return named;
  return home.startsWith('/') ? join(home, '.local/share') : null;
}

/**
 * The home trash, reached by renaming alone: a target on another file system is not its business.
 * Source: https://specifications.freedesktop.org/trash-spec/latest/. The sizes of folders, an optional cache, are left out.
 */
export function homeTrash({ disk, dataHome, now, randomName }: HomeTrashOptions): TrashBackend {
  return {
    name: 'freedesktop',
    async run(target, signal) {
      const trash = dataHome === null ? null : await prepared(disk, join(dataHome, 'Trash'));
      if (trash === null || trash.device !== target.entry.device) return 'unavailable';
      // What is in the trash is there already, and a folder that holds the trash cannot go into it.
      if (isWithin(target.path, trash.path, '/') || isWithin(trash.path, target.path, '/')) return 'failed';
      const place = await reserved(disk, trash, target, { deletedAt: now(), randomName });
      if (place === null) return 'unavailable';
      if (signal.aborted) {
        await disk.removeCreatedFile(place.info);
        return 'failed';
      }
      return move(disk, target, place);
    },
  };
}

interface Trash {
  readonly path: string;
  readonly files: string;
  readonly info: string;
  readonly device: bigint;
}

async function prepared(disk: Disk, path: string): Promise<Trash | null> {
  const files = join(path, 'files');
  const info = join(path, 'info');
  try {
    await disk.makeFolder(files);
    await disk.makeFolder(info);
    const entry = await disk.look(files);
    if (entry?.kind !== 'folder' || (await disk.look(info))?.kind !== 'folder') return null;
    return { path: await disk.realPath(path), files, info, device: entry.device };
  } catch {
    return null;
  }
}

interface Place {
  readonly file: string;
  readonly info: string;
}

// The info file is what reserves a name: whoever makes it owns the name. One that some program left without an info file is
// passed over, because a rename would replace it.
async function reserved(
  disk: Disk,
  trash: Trash,
  target: Target,
  { deletedAt, randomName }: { deletedAt: Date; randomName: () => string },
): Promise<Place | null> {
  const text = trashInfo(target.path, deletedAt);
  for (const mark of marks(randomName)) {
    const name = trashName(target.name, mark);
    const place = { file: join(trash.files, name), info: join(trash.info, `${name}${INFO_SUFFIX}`) };
    try {
      await disk.createFile(place.info, text);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue;
      return null;
    }
    if (await isFree(disk, place.file)) return place;
    await disk.removeCreatedFile(place.info);
  }
  return null;
}

function* marks(randomName: () => string): Generator<string> {
  yield '';
  for (let number = 2; number <= NUMBERED_NAMES; number += 1) yield String(number);
  for (let count = 0; count < RANDOM_NAMES; count += 1) yield randomName();
}

async function move(disk: Disk, target: Target, place: Place): Promise<BackendReport> {
  try {
    await disk.rename(target.parent.at(target.name), place.file);
  } catch (error) {
    // Some network file systems rename and then say that they did not. The way back must not be thrown away then.
    if (!(await isFree(disk, place.file))) return 'unsure';
    await disk.removeCreatedFile(place.info);
    return errorCode(error) === 'EXDEV' ? 'unavailable' : 'failed';
  }
  const moved = await disk.look(place.file);
  return moved !== null && isSame(moved, target.entry) ? 'done' : 'unsure';
}

async function isFree(disk: Disk, path: string): Promise<boolean> {
  try {
    return (await disk.look(path)) === null;
  } catch {
    return false;
  }
}
