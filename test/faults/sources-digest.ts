import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a fleet runs and what judges it, in a clone: where one byte of it changes, rounds say nothing of each other any more. */
const PARTS = ['packages', 'test/faults'] as const;
const FILES = ['package-lock.json', 'test/fairlead-process.ts'] as const;

/** The SHA-256 of all sources that a round depends on, and of their names, in hex. Tests, pages and what is built do not count. */
export function sourcesDigest(root: string): string {
  const paths = PARTS.flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
      .filter(isSource),
  );
  const hash = createHash('sha256');
  for (const path of [...paths, ...FILES].sort()) {
    const text = readFileSync(join(root, path));
    hash.update(`${path}\0${text.length}\0`).update(text);
  }
  return hash.digest('hex');
}

function isSource(path: string): boolean {
  const folders = path.split('/');
  if (folders.includes('node_modules') || folders.includes('dist') || folders.includes('coverage'))
    return false;
  if (folders[0] === 'packages' && folders[2] === 'test') return false;
  return /\.(?:ts|js|mjs|cjs|json|sh|sql)$/.test(path) && !path.endsWith('.test.ts');
}
