import { lstat, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import { grantLimits } from '../limits.ts';

/** What is asked of a file system: is this name a link, and where does it lead? */
export interface LinkReader {
  /** The text of a link; null where the name is something else; undefined where nothing has it. Rejects where it cannot be seen. */
  linkAt(path: string): Promise<string | null | undefined>;
}

/** The file system of this machine. */
export const machineLinks: LinkReader = Object.freeze({
  async linkAt(path: string) {
    try {
      const found = await lstat(path);
      return found.isSymbolicLink() ? await readlink(path) : null;
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw thrown;
    }
  },
});

/**
 * Where an absolute path really leads: `..` folded as it is written, then every link followed, also one whose target is not there yet.
 * What does not exist stands below its real parent as it is written. Undefined where that cannot be said: not absolute, with a null
 * character, links in a circle, a folder that may not be looked into. Who acts on it must use the answer, never the path that was asked
 * for.
 */
export async function realPath(path: string, links: LinkReader): Promise<string | undefined> {
  if (!isAbsolute(path) || path.includes('\0')) return undefined;
  const folded = resolve(path);
  const { root } = parse(folded);
  let at = root;
  let pending = segmentsOf(folded.slice(root.length));
  let followed = 0;
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    if (next === '..') {
      at = dirname(at);
      continue;
    }
    const name = join(at, next);
    const link = await linkTo(links, name);
    if (link === 'unseen') return undefined;
    if (link === undefined || link.to === null) {
      at = name;
      continue;
    }
    followed += 1;
    if (followed > grantLimits.links) return undefined;
    if (isAbsolute(link.to)) at = parse(link.to).root;
    pending = [...segmentsOf(link.to.slice(isAbsolute(link.to) ? at.length : 0)), ...pending];
  }
  return at;
}

function segmentsOf(text: string): string[] {
  return text.split(sep).filter((segment) => segment !== '' && segment !== '.');
}

async function linkTo(
  links: LinkReader,
  name: string,
): Promise<{ readonly to: string | null } | undefined | 'unseen'> {
  try {
    const to = await links.linkAt(name);
    return to === undefined ? undefined : { to };
  } catch {
    return 'unseen';
  }
}
