import { type Disk, type Entry, isSame } from './disk.ts';
import type { RejectCode } from './errors.ts';
import type { Folder } from './folder.ts';
import { openRoot, type Root } from './root.ts';

/** What shall go to the trash: a file or a folder in a folder that is held. */
export interface Target {
  readonly name: string;
  readonly entry: Entry;
  readonly parent: Folder;
  /** Absolute, without links, as it was when the target was found. */
  readonly path: string;
}

/** What a path turned out to name. The caller closes a target's parent. */
export type Found =
  | { readonly state: 'present'; readonly target: Target }
  | { readonly state: 'absent' }
  | { readonly state: 'rejected'; readonly code: RejectCode };

export interface FindOptions {
  readonly disk: Disk;
  readonly root: Root | null;
  readonly separator: string;
}

/** Walks from the root to the target one name after the other, and follows no link. Never rejects. */
export async function findTarget(
  names: readonly [string, ...string[]],
  { disk, root, separator }: FindOptions,
): Promise<Found> {
  const held: { folder: Folder | null } = { folder: root === null ? null : await openRoot(disk, root) };
  if (root === null || held.folder === null) return rejected('root_unavailable');
  let found: Found = rejected('path_inspection_failed');
  try {
    found = await walk(held, names, { disk, root, separator });
  } catch {
    // Whatever could not be looked at is not touched.
  }
  if (found.state !== 'present') await held.folder?.close();
  return found;
}

async function walk(
  held: { folder: Folder | null },
  names: readonly [string, ...string[]],
  { disk, root, separator }: { disk: Disk; root: Root; separator: string },
): Promise<Found> {
  let rest: readonly string[] = names;
  for (;;) {
    const [name, ...after] = rest;
    const folder = held.folder;
    if (name === undefined || folder === null) return rejected('path_inspection_failed');
    const entry = await disk.look(folder.at(name));
    if (entry === null) return { state: 'absent' };
    if (entry.kind === 'link') return rejected('symlink_unsupported');
    if (after.length === 0) return judged(name, entry, folder, { root, separator });
    // Below a file there is nothing, whatever the name.
    if (entry.kind !== 'folder') return { state: 'absent' };
    held.folder = await folder.open(name);
    await folder.close();
    if (!isSame(held.folder.entry, entry)) return rejected('path_inspection_failed');
    rest = after;
  }
}

async function judged(
  name: string,
  entry: Entry,
  parent: Folder,
  { root, separator }: { root: Root; separator: string },
): Promise<Found> {
  if (entry.kind === 'other') return rejected('unsupported_file_type');
  const parentPath = await parent.currentPath();
  if (!isWithin(parentPath, root.path, separator)) return rejected('path_outside_root');
  const path = `${parentPath}${parentPath.endsWith(separator) ? '' : separator}${name}`;
  return { state: 'present', target: { name, entry, parent, path } };
}

function rejected(code: RejectCode): Found {
  return { state: 'rejected', code };
}

/** Whether `path` is `folder` or lies below it; both absolute and without links. */
export function isWithin(path: string, folder: string, separator: string): boolean {
  const prefix = folder.endsWith(separator) ? folder : `${folder}${separator}`;
  return path === folder || path.startsWith(prefix);
}

/** What became of a target. `replaced`: its name stands for something else. `unclear`: it cannot be looked at. */
export type Standing = 'there' | 'gone' | 'replaced' | 'unclear';

/** Looks at a target's place again. */
export async function standingOf(target: Target, disk: Disk): Promise<Standing> {
  try {
    const now = await disk.look(target.parent.at(target.name));
    if (now === null) return 'gone';
    return isSame(now, target.entry) ? 'there' : 'replaced';
  } catch {
    return 'unclear';
  }
}
