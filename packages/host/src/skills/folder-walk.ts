import type { Dirent } from 'node:fs';
import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { hasControlCharacter } from '@fairlead/base';
import { skillLimits } from '../limits.ts';

/** Why something is no skill, in words for a person. */
export class NoSkill extends Error {
  readonly line: number | undefined;

  constructor(reason: string, line?: number) {
    super(reason);
    this.line = line;
  }
}

/** An entry of a skill's folder as the system knows it, without having been opened. */
export interface WalkedFile {
  readonly path: string;
  readonly bytes: number;
  /** Moves when the file is changed or replaced. */
  readonly mark: string;
  /** Milliseconds since 1970, by the machine's clock. */
  readonly changedMs: number;
}

/** True where `path` is `folder` or stands in it; both real. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/**
 * Every file of a skill's folder, by path; `.git` is passed over. Throws `NoSkill` for what a skill must not be: too large, too many files, a
 * link that leads out of it or to a folder, a pipe, socket or device, a name that cannot be shown. Nothing is opened.
 */
export async function walkSkill(folder: string): Promise<readonly WalkedFile[]> {
  const real = await realpath(folder);
  const files: WalkedFile[] = [];
  let seen = 0;
  let bytes = 0;
  const walk = async (inner: string): Promise<void> => {
    for await (const entry of await opendir(join(real, inner))) {
      if (entry.name === '.git') continue;
      seen += 1;
      if (seen > skillLimits.folderFiles)
        throw new NoSkill(`its folder holds more than ${skillLimits.folderFiles} files and folders`);
      const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
      checkPath(path);
      if (entry.isDirectory()) await walk(path);
      else {
        const file = await fileOf(real, path, entry);
        bytes += file.bytes;
        if (bytes > skillLimits.folderBytes)
          throw new NoSkill(
            `its folder holds more than ${skillLimits.folderBytes / 1024 / 1024} MiB (at ${path})`,
          );
        files.push(file);
      }
    }
  };
  await walk('');
  return files.sort((left, right) => (left.path < right.path ? -1 : 1));
}

async function fileOf(folder: string, path: string, entry: Dirent): Promise<WalkedFile> {
  const place = join(folder, path);
  const own = await lstat(place);
  if (entry.isFile() && own.isFile()) return walked(path, own);
  if (!own.isSymbolicLink()) throw new NoSkill(`${path} is neither a file nor a folder`);
  const target = await realpath(place).catch(() => undefined);
  if (target === undefined) throw new NoSkill(`${path} is a link that leads nowhere`);
  if (!isWithin(target, folder)) throw new NoSkill(`${path} is a link that leads out of its folder`);
  const found = await stat(place);
  if (!found.isFile()) throw new NoSkill(`${path} is a link to what is no file`);
  const file = walked(path, found);
  return { ...file, mark: `${file.mark} ${own.ctimeMs}`, changedMs: Math.max(file.changedMs, own.ctimeMs) };
}

function walked(
  path: string,
  { size, ino, mtimeMs, ctimeMs }: { size: number; ino: number; mtimeMs: number; ctimeMs: number },
): WalkedFile {
  return {
    ...{ path, bytes: size },
    mark: `${ino} ${size} ${mtimeMs} ${ctimeMs}`,
    changedMs: Math.max(mtimeMs, ctimeMs),
  };
}

function checkPath(path: string): void {
  if (hasControlCharacter(path) || path.includes('\\') || path.includes('\uFFFD'))
    throw new NoSkill('a file in its folder has a name that cannot be shown');
  if (Buffer.byteLength(path) > skillLimits.path)
    throw new NoSkill(`a path in its folder is longer than ${skillLimits.path} bytes`);
}
