import { constants } from 'node:fs';
import { access, lstat, mkdir, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import type { Folder } from './folder.ts';

type EntryKind = 'file' | 'folder' | 'link' | 'other';

/** What one name of a folder stands for. Two with equal device and inode are the same thing. */
export interface Entry {
  readonly kind: EntryKind;
  readonly device: bigint;
  readonly inode: bigint;
}

/** What this plugin does with a file system. All of it rejects with the system's own error. */
export interface Disk {
  /** The entry itself, never what a link points to; null when the name is free. */
  look(path: string): Promise<Entry | null>;
  realPath(path: string): Promise<string>;
  /** Opens a folder that is no link; rejects for anything else. */
  openFolder(path: string): Promise<Folder>;
  /** Makes a folder (0700) with its parents; does nothing when it is there. */
  makeFolder(path: string): Promise<void>;
  /** Makes a file (0600) that was not there, whole or not at all. */
  createFile(path: string, text: string): Promise<void>;
  /** Takes back what `createFile` made. The only removal in this plugin. */
  removeCreatedFile(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  isProgram(path: string): Promise<boolean>;
}

/** The machine's own file system. `openFolder` decides how well an open folder is held. */
export function machineDisk(openFolder: Disk['openFolder']): Disk {
  return {
    look: lookAt,
    realPath: (path) => realpath(path),
    openFolder,
    async makeFolder(path) {
      await mkdir(path, { recursive: true, mode: 0o700 });
    },
    async createFile(path, text) {
      const file = await open(path, 'wx', 0o600);
      try {
        await file.writeFile(text);
      } catch (error) {
        await unlink(path);
        throw error;
      } finally {
        await file.close();
      }
    },
    removeCreatedFile: (path) => unlink(path),
    rename,
    async isProgram(path) {
      try {
        await access(path, constants.X_OK);
        return (await stat(path)).isFile();
      } catch {
        return false;
      }
    },
  };
}

/** `Disk.look` on the machine's own file system. */
export async function lookAt(path: string): Promise<Entry | null> {
  try {
    const found = await lstat(path, { bigint: true });
    return { kind: kindOf(found), device: found.dev, inode: found.ino };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function kindOf(found: { isSymbolicLink(): boolean; isFile(): boolean; isDirectory(): boolean }): EntryKind {
  if (found.isSymbolicLink()) return 'link';
  if (found.isDirectory()) return 'folder';
  return found.isFile() ? 'file' : 'other';
}

/** Whether two looks saw the same thing. */
export function isSame(one: Entry, other: Entry): boolean {
  return one.device === other.device && one.inode === other.inode && one.kind === other.kind;
}

/** The system's code of an error, such as `EXDEV`; empty when it has none. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}
