// build-sdk.ts: builds packages/plugin-sdk into its dist/, unless that was built from the same sources already.
// Several may run at once: each builds aside and renames the whole folder into place.
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const sdk = join(root, 'packages/plugin-sdk');
const dist = join(sdk, 'dist');
const digestFile = '.source-digest';
const digest = digestOfInputs();

if (builtFrom(dist) !== digest) build();

function digestOfInputs(): string {
  const hash = createHash('sha256');
  const sources = globSync('src/**/*.ts', { cwd: sdk }).sort();
  const inputs = ['package.json', 'tsconfig.build.json', ...sources].map((name) => join(sdk, name));
  for (const input of [...inputs, join(root, 'node_modules/typescript/package.json')]) {
    hash
      .update(`${input.slice(root.length)}\0`)
      .update(readFileSync(input))
      .update('\0');
  }
  return hash.digest('hex');
}

function builtFrom(folder: string): string | null {
  try {
    return readFileSync(join(folder, digestFile), 'utf8');
  } catch {
    return null;
  }
}

function build(): void {
  const aside = join(root, 'node_modules/.cache', `plugin-sdk-${randomBytes(6).toString('hex')}`);
  const fresh = join(aside, 'fresh');
  mkdirSync(aside, { recursive: true });
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const args = [compiler, '-p', join(sdk, 'tsconfig.build.json'), '--outDir', fresh];
    const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    if (status === 0) {
      writeFileSync(join(fresh, digestFile), digest);
      putInPlace(fresh, join(aside, 'old'));
    } else {
      // The compiler has said why; what was built before stays.
      process.exitCode = 1;
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** A folder cannot be renamed over a full one, so the old one steps aside first; whoever loses a race has nothing to do. */
function putInPlace(fresh: string, old: string): void {
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
