import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { repositoryRoot } from './repository-root.ts';

/** Only catches hanging. */
const HANGING_MS = 120_000;

/** The two ends of what published types must be accepted by. */
export const compilers = ['typescript', 'typescript-5.4'] as const;

/** One of them: the name of its folder in `node_modules`. */
type Compiler = (typeof compilers)[number];

/** Members of `compilerOptions`. */
export type CompilerOptions = Readonly<Record<string, unknown>>;

/** A project of an author's, with a packed package of this repository installed in it. */
export type AuthorProject = {
  readonly folder: string;
  /** What npm packed; `folder` has it unpacked. */
  readonly tarball: string;
  /** What the compiler says about a file of the fixtures; empty when it accepts it. Emits to `dist/`. */
  compile(compiler: Compiler, fixture: string, options?: CompilerOptions): string;
  /** The same for texts, by their names below `src/`. */
  compileTexts(
    compiler: Compiler,
    texts: Readonly<Record<string, string>>,
    options?: CompilerOptions,
  ): string;
  /** The names of the files in the tarball. */
  readonly files: readonly string[];
  remove(): void;
};

const AUTHOR_OPTIONS: CompilerOptions = {
  target: 'ES2022',
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  declaration: true,
  rootDir: 'src',
  outDir: 'dist',
  types: [],
};

/**
 * Builds a package of `packages/` from source, packs it with the machine's npm, and unpacks it into a new project. `modules` are
 * linked from the clone, `options` laid over those that a strict author has, `fixtures` the folder of what `compile` reads.
 */
export function authorProject(of: {
  readonly name: string;
  readonly fixtures: string;
  readonly modules: readonly string[];
  readonly options?: CompilerOptions;
}): AuthorProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'author-')));
  const source = join(repositoryRoot, 'packages', of.name);
  const copy = join(folder, 'source');
  mkdirSync(copy);
  for (const name of ['package.json', 'README.md', 'LICENSE']) cpSync(join(source, name), join(copy, name));
  build(of.name, join(copy, 'dist'));
  const tarball = pack(copy, folder);
  const installed = join(folder, 'node_modules/@fairlead', of.name);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
  mkdirSync(join(folder, 'node_modules/@types'));
  for (const name of of.modules)
    symlinkSync(join(repositoryRoot, 'node_modules', name), join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n');

  function compileTexts(
    compiler: Compiler,
    texts: Readonly<Record<string, string>>,
    options: CompilerOptions = {},
  ): string {
    rmSync(join(folder, 'src'), { recursive: true, force: true });
    mkdirSync(join(folder, 'src'));
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, 'src', name), text);
    const project = {
      compilerOptions: { ...AUTHOR_OPTIONS, ...of.options, ...options },
      files: Object.keys(texts).map((name) => join('src', name)),
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    return tsc(compiler, ['-p', folder]);
  }

  return {
    folder,
    tarball,
    files: listed.trimEnd().split('\n').sort(),
    compile: (compiler, fixture, options = {}) =>
      compileTexts(compiler, { [fixture]: readFileSync(join(of.fixtures, fixture), 'utf8') }, options),
    compileTexts,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** The first `node` of PATH that is not the one this clone laid for itself. */
export function nodeOfTheMachine(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((entry) => !entry.includes(`${repositoryRoot}/.node24`) && !entry.includes('node_modules'))
    .map((entry) => join(entry, 'node'))
    .find((candidate) => existsSync(candidate));
}

/** The tarball of a folder. */
function pack(from: string, folder: string): string {
  const args = ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', folder];
  const npm = spawnSync('npm', args, {
    cwd: from,
    encoding: 'utf8',
    timeout: HANGING_MS,
    env: {
      ...process.env,
      npm_config_cache: join(folder, 'npm-cache'),
      npm_config_update_notifier: 'false',
    },
  });
  if (npm.status !== 0) throw new Error(npm.stderr);
  const { name, version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  return join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}

/** As `npm pack` of the clone would find it. */
function build(name: string, into: string): void {
  const args = [join(repositoryRoot, 'tools/build-published.ts'), name, into];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: HANGING_MS });
  if (run.error !== undefined) throw run.error;
  if (run.status !== 0) throw new Error(run.stdout + run.stderr);
}

/** What a compiler says; empty when it accepts what it was given. */
function tsc(compiler: Compiler, args: readonly string[]): string {
  const bin = join(repositoryRoot, 'node_modules', compiler, 'bin/tsc');
  const run = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8', timeout: HANGING_MS });
  if (run.error !== undefined) throw run.error;
  return run.stdout + run.stderr;
}
