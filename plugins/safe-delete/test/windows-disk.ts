import { dirname } from 'node:path/win32';
import type { Disk, Entry } from '../src/disk.ts';
import { openNamedFolder } from '../src/folder.ts';

/** A disk of a Windows machine, as far as looking goes: every path that is named, and the folders above them. */
export function windowsDisk(files: readonly string[]): Disk & { readonly entries: Map<string, Entry> } {
  const entries = new Map<string, Entry>();
  const add = (path: string, kind: Entry['kind']): void => {
    if (!entries.has(path)) entries.set(path, { kind, device: 7n, inode: BigInt(entries.size + 1) });
  };
  for (const file of files) {
    for (let path = dirname(file); path !== dirname(path); path = dirname(path)) add(path, 'folder');
    add(file, 'file');
  }
  const look: Disk['look'] = (path) => Promise.resolve(entries.get(path) ?? null);
  const realPath: Disk['realPath'] = (path) => Promise.resolve(path);
  const no = (): never => {
    throw new Error('not on this disk');
  };
  return {
    entries,
    look,
    realPath,
    openFolder: (path) => openNamedFolder(path, { look, realPath, separator: '\\' }),
    isProgram: (path) => Promise.resolve(entries.get(path)?.kind === 'file'),
    makeFolder: no,
    createFile: no,
    removeCreatedFile: no,
    rename: no,
  };
}
