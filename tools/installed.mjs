// Ends 0 when node_modules already holds what package-lock.json asks for, so that a bare `npm ci` is not repeated.
// Plain JavaScript: it runs before anything is installed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const hiddenLock = join(root, 'node_modules', '.package-lock.json');

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}

function installedAsLocked() {
  if (!existsSync(hiddenLock)) return false;
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const present = packagesOf(hiddenLock);
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return true;
    const found = present[path];
    if (entry.link === true) return found?.link === true && existsSync(join(root, path));
    if (found === undefined) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && existsSync(join(root, path, 'package.json'));
  });
}

process.exit(installedAsLocked() ? 0 : 1);
