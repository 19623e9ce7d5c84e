import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hubError } from '../errors.ts';
import { pathLimits } from '../limits.ts';

/** What stands in a folder of source and is none of it. */
const LEFT_OUT = new Set(['node_modules', '.git']);

interface Found {
  readonly path: string;
  readonly link: boolean;
}

/**
 * The digest by which a `path` extension is known: SHA-256, base64url, over the relative path, kind and content digest of every
 * file, in the order of their paths. A link counts as the text that it holds. Left out: `node_modules`, `.git`, and whatever is
 * neither file nor link nor folder. Rejects with `extension_folder_invalid` above 2,000 files and folders or 32 MiB, which
 * is no extension's folder, and where a file cannot be read.
 */
export async function folderDigest(folder: string): Promise<string> {
  try {
    return await digestOf(folder);
  } catch (error) {
    // What the system says names a path of the machine; its code says enough.
    if (!(error instanceof Error) || !('errno' in error) || !('code' in error)) throw error;
    throw hubError('extension_folder_invalid', `a file in it cannot be read: ${error.code}`);
  }
}

async function digestOf(folder: string): Promise<string> {
  const found: Found[] = [];
  await gather(folder, '', { found, seen: 0 });
  // By code unit: an order that depends on no locale.
  found.sort((a, b) => (a.path < b.path ? -1 : 1));
  const whole = createHash('sha256').update('fairlead extension folder v1\n');
  let bytes = 0;
  for (const { path, link } of found) {
    if (link) {
      whole.update(`${JSON.stringify([path, 'link', await readlink(join(folder, path))])}\n`);
      continue;
    }
    bytes += (await stat(join(folder, path))).size;
    if (bytes > pathLimits.folderBytes) throw tooLarge();
    whole.update(`${JSON.stringify([path, 'file', await fileDigest(join(folder, path))])}\n`);
  }
  return whole.digest('base64url');
}

/** What was found, and how many entries were seen: folders and what is neither file nor link are bounded with the rest. */
interface Gathering {
  readonly found: Found[];
  seen: number;
}

async function gather(folder: string, inner: string, gathering: Gathering): Promise<void> {
  const entries = await readdir(join(folder, inner), { withFileTypes: true });
  for (const entry of entries) {
    if (LEFT_OUT.has(entry.name)) continue;
    gathering.seen += 1;
    if (gathering.seen > pathLimits.folderFiles) throw tooLarge();
    const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
    if (entry.isDirectory()) await gather(folder, path, gathering);
    else if (entry.isFile() || entry.isSymbolicLink())
      gathering.found.push({ path, link: entry.isSymbolicLink() });
  }
}

async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('base64url');
}

function tooLarge(): Error {
  const { folderFiles, folderBytes } = pathLimits;
  return hubError(
    'extension_folder_invalid',
    `it holds more than ${folderFiles} files and folders or ${folderBytes} bytes beside node_modules`,
  );
}
