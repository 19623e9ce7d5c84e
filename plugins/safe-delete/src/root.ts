import { type Disk, type Entry, isSame } from './disk.ts';
import type { Folder } from './folder.ts';

/** The folder that this plugin was started in: nothing outside it is ever touched. */
export interface Root {
  /** Absolute, without links. */
  readonly path: string;
  readonly entry: Entry;
}

/** Notes which folder stands at `path` now, or answers null when none does. */
export async function rememberRoot(disk: Disk, path: string): Promise<Root | null> {
  try {
    const real = await disk.realPath(path);
    const entry = await disk.look(real);
    return entry?.kind === 'folder' ? { path: real, entry } : null;
  } catch {
    return null;
  }
}

/** Opens the root, or answers null when it is gone or another folder has taken its place. */
export async function openRoot(disk: Disk, root: Root): Promise<Folder | null> {
  let folder: Folder;
  try {
    folder = await disk.openFolder(root.path);
  } catch {
    return null;
  }
  if (isSame(folder.entry, root.entry)) return folder;
  await folder.close();
  return null;
}
