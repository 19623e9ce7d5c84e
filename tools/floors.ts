import { glob, readFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

/** Every package with its floor. Imports go down only; packages on one floor do not import each other. */
export const floors: Readonly<Record<string, number>> = {
  base: 0,
  'plugin-sdk': 0,
  extension: 0,
  testing: 0,
  process: 1,
  protocol: 1,
  store: 1,
  dispatch: 2,
  hub: 2,
  'plugin-conformance': 2,
  builtins: 3,
  host: 3,
  mcp: 3,
  runner: 3,
  gateway: 4,
  cli: 5,
};

/** Packages without dependencies: they run in other people's processes. */
const published: ReadonlySet<string> = new Set(['plugin-sdk', 'extension']);

/** Packages that no other imports: only authors do. */
const islands: ReadonlySet<string> = new Set(['plugin-sdk']);

const importPattern = /(?:\bfrom\s+|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"\n]+)\1/g;

/** Everything that a text imports, as it is written there. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(importPattern)].map((match) => match[2] ?? '');
}

/** Reads every source and test file of the packages and returns one sentence per import that breaks a rule. */
export async function checkFloors(root: string): Promise<string[]> {
  const faults: string[] = [];
  for await (const path of glob('packages/*/{src,test,bin}/**/*.{ts,js,mjs}', { cwd: root })) {
    const [, name, area] = path.split(sep);
    if (name === undefined || path.includes(`${sep}fixtures${sep}`)) continue;
    const text = await readFile(join(root, path), 'utf8');
    for (const specifier of importsOf(text)) {
      const fault = specifier.startsWith('.')
        ? relativeFault(name, join(dirname(path), specifier), specifier)
        : faultOf(name, area === 'test', specifier);
      if (fault !== null) faults.push(`${path}: ${fault}`);
    }
  }
  return faults.sort();
}

/** Why package `importer` may not import `specifier`, or null when it may. */
export function faultOf(importer: string, inTest: boolean, specifier: string): string | null {
  const own = floors[importer];
  if (own === undefined) return `package ${importer} has no floor; give it one in tools/floors.ts`;
  if (!specifier.startsWith('@fairlead/')) {
    return published.has(importer) && !inTest && !specifier.startsWith('node:')
      ? `${importer} imports ${specifier}; it has no dependencies`
      : null;
  }
  const imported = specifier.split('/')[1] ?? '';
  if (imported === importer) return null;
  const floor = floors[imported];
  if (floor === undefined) return `imports ${specifier}, which has no floor`;
  if (imported === 'testing') return inTest ? null : 'imports testing outside its tests';
  if (importer === 'testing' && imported === 'base') return null;
  if (published.has(importer)) return `${importer} imports nothing, yet it imports ${imported}`;
  if (islands.has(imported)) return `imports ${imported}, which only authors import`;
  return floor < own ? null : `imports ${imported} (floor ${floor}) from floor ${own}`;
}

/** A path stays inside its package; what stands elsewhere is imported by the package's name. */
function relativeFault(importer: string, resolved: string, specifier: string): string | null {
  return resolved.startsWith(join('packages', importer) + sep)
    ? null
    : `imports ${specifier} by path; import the package by its name`;
}
