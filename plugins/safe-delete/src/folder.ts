import { constants } from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import type { Disk, Entry } from './disk.ts';

/** A folder that was reached without following a link, and is held until it is closed. */
export interface Folder {
  readonly entry: Entry;
  /** A path for this process that leads to `name` in this folder. */
  at(name: string): string;
  /** A path under which a child process can be started in this folder. */
  readonly workingPath: string;
  /** Where the folder is now, absolute and without links. */
  currentPath(): Promise<string>;
  /** Opens the folder `name` of this folder; rejects when it is a link or no folder. */
  open(name: string): Promise<Folder>;
  close(): Promise<void>;
}

// Linux, include/uapi/asm-generic/fcntl.h; Node has no name for it. Such a handle only stands for the folder, so that the right
// to pass through it is enough.
const O_PATH = 0x20_0000;

/**
 * Holds a folder by a handle and reaches its entries through `/proc/self/fd`, so that a name which is exchanged for a link
 * afterwards leads nobody astray. The nearest to openat(2) that Node can do; Linux only.
 */
export async function openPinnedFolder(path: string): Promise<Folder> {
  const handle = await open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const held = `/proc/self/fd/${handle.fd}`;
  try {
    const found = await handle.stat({ bigint: true });
    return {
      entry: { kind: 'folder', device: found.dev, inode: found.ino },
      at: (name) => `${held}/${name}`,
      workingPath: `/proc/${process.pid}/fd/${handle.fd}`,
      currentPath: () => readlink(held),
      open: (name) => openPinnedFolder(`${held}/${name}`),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export interface NamedFolderSystem {
  readonly look: Disk['look'];
  readonly realPath: Disk['realPath'];
  readonly separator: string;
}

/** Holds a folder by nothing but its name: what is left where a folder cannot be pinned. */
export async function openNamedFolder(path: string, system: NamedFolderSystem): Promise<Folder> {
  const entry = await system.look(path);
  if (entry?.kind !== 'folder') throw new Error('not a folder');
  const at = (name: string): string =>
    `${path}${path.endsWith(system.separator) ? '' : system.separator}${name}`;
  return {
    entry,
    at,
    workingPath: path,
    currentPath: () => system.realPath(path),
    open: (name) => openNamedFolder(at(name), system),
    close: () => Promise.resolve(),
  };
}
