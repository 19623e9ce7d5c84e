import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';

/** What is linked: `compiled` holds NAME/src, NAME/bin and PART/src as the compiler wrote them. */
type Linking = {
  /** The folder of the clone's packages, for what is no TypeScript. */
  readonly packages: string;
  readonly compiled: string;
  readonly name: string;
  readonly parts: readonly string[];
  readonly into: string;
};

/** `import {…} from '@fairlead/PART'`, `export {…} from …`, with or without `type`. */
const NAMED = /\b(import|export)(\s+type)?\s*\{([^{}]*)\}\s*from\s*'@fairlead\/([a-z-]+)';/g;
/** A type that the compiler wrote out where nobody had named it. */
const INLINE = /\bimport\("@fairlead\/([a-z-]+)"\)\.(\w+)/g;
const SPECIFIER = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])([^"'\n]+)\2/g;

/**
 * Makes one package of several: each name that was imported from a part by the part's name is imported from the file that
 * defines it, files that nothing reaches are left behind, and the package's own files come to stand at the top. Throws where
 * something is reached that is neither of these packages nor Node's.
 */
export function linkParts(linking: Linking): void {
  const { packages, compiled, name, into } = linking;
  const homes = homesOf(linking);
  const kept = new Set<string>();
  const waiting = globSync(`${name}/{src/index,bin/*}.{js,d.ts}`, { cwd: compiled });
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (kept.has(file)) continue;
    kept.add(file);
    waiting.push(...write(file));
  }
  // What a script reads from beside itself, a program of the shell for example.
  for (const folder of new Set([...kept].map(dirname))) {
    for (const beside of globSync('*', { cwd: join(packages, folder), exclude: ['*.ts'] })) {
      if (extname(beside) === '') continue;
      copyFileSync(join(packages, folder, beside), join(into, placeOf(join(folder, beside))));
    }
  }

  /** Writes a linked file, and returns what it imports. */
  function write(file: string): string[] {
    const imported: string[] = [];
    const home = (part: string, exported: string): string => {
      const found = homes.get(`${part} ${exported}`);
      if (found === undefined) throw new Error(`${file}: @fairlead/${part} exports no ${exported}`);
      return pathTo(file, `${found}.js`);
    };
    const text = readFileSync(join(compiled, file), 'utf8')
      .replaceAll(NAMED, (_, verb: string, type: string | undefined, names: string, part: string) =>
        names
          .split(',')
          .map((one) => one.trim())
          .filter((one) => one !== '')
          .map((one) => {
            const [exported = ''] = one.replace(/^type\s+/, '').split(/\s+as\s+/);
            return `${verb}${type ?? ''} { ${one} } from '${home(part, exported)}';`;
          })
          .join('\n'),
      )
      .replaceAll(
        INLINE,
        (_, part: string, exported: string) => `import("${home(part, exported)}").${exported}`,
      )
      .replaceAll(SPECIFIER, (all: string, before: string, quote: string, specifier: string) => {
        if (specifier.startsWith('node:')) return all;
        if (!specifier.startsWith('.')) throw new Error(`${file} imports ${specifier}, which goes nowhere`);
        // Declarations name the sources that they come from.
        const target = join(dirname(file), specifier).replace(/\.ts$/, '.js');
        const written = file.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target;
        if (!existsSync(join(compiled, written))) throw new Error(`${file} imports ${written}, which is not`);
        imported.push(written);
        return `${before}${quote}${relativePath(dirname(placeOf(file)), placeOf(target))}${quote}`;
      });
    const place = join(into, placeOf(file));
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
    return imported;
  }

  function placeOf(file: string): string {
    const [owner = '', area = '', ...rest] = file.split('/');
    if (owner !== name) return join('parts', owner, ...rest);
    return area === 'src' ? join(...rest) : join(area, ...rest);
  }
}

/** Where each export of a part is defined, without the extension, by `PART NAME`. */
function homesOf({ compiled, parts }: Linking): ReadonlyMap<string, string> {
  const homes = new Map<string, string>();
  for (const part of parts) {
    const index = readFileSync(join(compiled, part, 'src/index.d.ts'), 'utf8');
    for (const [, names = '', specifier = ''] of index.matchAll(/\{([^{}]*)\}\s*from\s*'([^']+)'/g)) {
      const file = join(part, 'src', specifier.replace(/\.[jt]s$/, ''));
      for (const one of names.split(',')) homes.set(`${part} ${one.trim().replace(/^type\s+/, '')}`, file);
    }
  }
  return homes;
}

function pathTo(from: string, target: string): string {
  return relativePath(dirname(from), target);
}

function relativePath(folder: string, target: string): string {
  const path = relative(folder, target);
  return path.startsWith('.') ? path : `./${path}`;
}
