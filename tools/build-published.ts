// build-published.ts: builds each package that runs in other people's processes into its dist/, unless that was built from the
// same sources already. Several may run at once: each builds aside and renames the whole folder into place.
//
// build-published.ts NAME FOLDER: builds one into a folder, whatever was built before.
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layPages } from './lay-pages.ts';
import { linkParts } from './link-parts.ts';

/** A package for authors. */
type Published = {
  /** Its folder below packages/. */
  readonly name: string;
  /** Packages of the clone that it carries within, because no registry has them. */
  readonly parts: readonly string[];
  /** Pages of docs/reference that it carries, because it points at them. */
  readonly pages: readonly string[];
};

/** The packages; tools/on-node24 digests the sources of the same ones. */
const published: readonly Published[] = [
  { name: 'plugin-sdk', parts: [], pages: [] },
  { name: 'extension', parts: [], pages: [] },
  {
    name: 'plugin-conformance',
    parts: ['base', 'process', 'protocol'],
    pages: ['native-plugin-protocol.md', 'plugin-conformance.md'],
  },
];

const root = join(import.meta.dirname, '..');
const digestFile = '.source-digest';

const [chosen, into] = process.argv.slice(2);
if (chosen === undefined) {
  for (const one of published) {
    const digest = digestOfInputs(one);
    if (builtFrom(join(packageFolder(one.name), 'dist')) !== digest) buildInPlace(one, digest);
  }
} else {
  const one = published.find(({ name }) => name === chosen);
  if (one === undefined || into === undefined) throw new Error('build-published.ts [NAME FOLDER]');
  if (!buildInto(one, into)) process.exitCode = 1;
}

function packageFolder(name: string): string {
  return join(root, 'packages', name);
}

function digestOfInputs({ name, parts, pages }: Published): string {
  const hash = createHash('sha256');
  const folder = packageFolder(name);
  const inputs = [
    ...['package.json', 'tsconfig.build.json'].map((file) => join(folder, file)),
    ...filesOf(folder, '{src,bin}/**/*.ts'),
    ...parts.flatMap((part) => filesOf(packageFolder(part), 'src/**/*.*')),
    ...pages.map((page) => join(root, 'docs/reference', page)),
    ...['build-published.ts', 'lay-pages.ts', 'link-parts.ts'].map((tool) => join(import.meta.dirname, tool)),
    join(root, 'node_modules/typescript/package.json'),
  ];
  for (const input of inputs) {
    hash
      .update(`${input.slice(root.length)}\0`)
      .update(readFileSync(input))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesOf(folder: string, pattern: string): string[] {
  return globSync(pattern, { cwd: folder })
    .sort()
    .map((file) => join(folder, file));
}

function builtFrom(dist: string): string | null {
  try {
    return readFileSync(join(dist, digestFile), 'utf8');
  } catch {
    return null;
  }
}

function buildInPlace(one: Published, digest: string): void {
  const aside = join(root, 'node_modules/.cache', `${one.name}-${randomBytes(6).toString('hex')}`);
  const fresh = join(aside, 'fresh');
  mkdirSync(aside, { recursive: true });
  try {
    if (buildInto(one, fresh)) {
      writeFileSync(join(fresh, digestFile), digest);
      putInPlace(join(packageFolder(one.name), 'dist'), fresh, join(aside, 'old'), digest);
    } else {
      // The compiler has said why; what was built before stays.
      process.exitCode = 1;
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** False where the compiler refuses, which it has explained by then. */
function buildInto({ name, parts, pages }: Published, fresh: string): boolean {
  const compiled = parts.length === 0 ? fresh : `${fresh}.compiled`;
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', join(packageFolder(name), 'tsconfig.build.json'), '--outDir', compiled];
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) return false;
  if (parts.length > 0) {
    linkParts({ packages: join(root, 'packages'), compiled, name, parts, into: fresh });
    rmSync(compiled, { recursive: true, force: true });
  }
  if (pages.length > 0) layPages({ from: join(root, 'docs/reference'), pages, into: join(fresh, 'pages') });
  return true;
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
