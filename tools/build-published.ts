// build-published.ts: builds each package that runs in other people's processes into its dist/, unless that was built from the
// same sources already. Several may run at once: each builds aside and renames the whole folder into place.
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages; tools/on-node24 digests the sources of the same ones. */
const published = ['plugin-sdk', 'extension'] as const;

const root = join(import.meta.dirname, '..');
const digestFile = '.source-digest';

for (const name of published) {
  const folder = join(root, 'packages', name);
  const digest = digestOfInputs(folder);
  if (builtFrom(join(folder, 'dist')) !== digest) build(name, folder, digest);
}

function digestOfInputs(folder: string): string {
  const hash = createHash('sha256');
  const sources = globSync('src/**/*.ts', { cwd: folder }).sort();
  const inputs = ['package.json', 'tsconfig.build.json', ...sources].map((name) => join(folder, name));
  for (const input of [...inputs, join(root, 'node_modules/typescript/package.json')]) {
    hash
      .update(`${input.slice(root.length)}\0`)
      .update(readFileSync(input))
      .update('\0');
  }
  return hash.digest('hex');
}

function builtFrom(dist: string): string | null {
  try {
    return readFileSync(join(dist, digestFile), 'utf8');
  } catch {
    return null;
  }
}

function build(name: string, folder: string, digest: string): void {
  const aside = join(root, 'node_modules/.cache', `${name}-${randomBytes(6).toString('hex')}`);
  const fresh = join(aside, 'fresh');
  mkdirSync(aside, { recursive: true });
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const args = [compiler, '-p', join(folder, 'tsconfig.build.json'), '--outDir', fresh];
    const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    if (status === 0) {
      writeFileSync(join(fresh, digestFile), digest);
      putInPlace(join(folder, 'dist'), fresh, join(aside, 'old'), digest);
    } else {
      // The compiler has said why; what was built before stays.
      process.exitCode = 1;
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** A folder cannot be renamed over a full one, so the old one steps aside first; whoever loses a race has nothing to do. */
function putInPlace(dist: string, fresh: string, old: string, digest: string): void {
  if (builtFrom(dist) === digest) return;
  try {
    renameSync(dist, old);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  try {
    renameSync(fresh, dist);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error)) || builtFrom(dist) !== digest) throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
