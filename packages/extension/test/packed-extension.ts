import assert from 'node:assert/strict';
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

const root = join(import.meta.dirname, '../../..');
const source = join(root, 'packages/extension');

/** Only catches hanging. */
const HANGING_MS = 120_000;

/** The two ends of what the published types must be accepted by. */
export const compilers = ['typescript', 'typescript-5.4'] as const;
type Compiler = (typeof compilers)[number];
type CompilerOptions = Readonly<Record<string, unknown>>;

/** A project of an author's, with the packed package installed in it. */
export interface AuthorProject {
  readonly folder: string;
  /** What the compiler says about a file of test/fixtures/authors; empty when it accepts it. Emits to `dist/`. */
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
}

/** Without Node's own types: signals and events come from the DOM's here. */
const AUTHOR_OPTIONS: CompilerOptions = {
  target: 'ES2022',
  lib: ['ES2022', 'DOM'],
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

/** What a project with Node's types says; their own declarations are not ours to check. */
export const NODE_OPTIONS: CompilerOptions = {
  lib: ['ES2022', 'ESNext.Disposable'],
  types: ['node'],
  skipLibCheck: true,
};

/** Builds the package from source, packs it with the machine's npm, and unpacks it into a new project. */
export function authorProject(): AuthorProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ext-')));
  const copy = join(folder, 'source');
  mkdirSync(copy);
  for (const name of ['package.json', 'README.md', 'LICENSE']) cpSync(join(source, name), join(copy, name));
  tsc('typescript', ['-p', join(source, 'tsconfig.build.json'), '--outDir', join(copy, 'dist')]);
  const tarball = pack(copy, folder);
  const installed = join(folder, 'node_modules/@fairlead/extension');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
  mkdirSync(join(folder, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types', 'zod'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
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
      compilerOptions: { ...AUTHOR_OPTIONS, ...options },
      files: Object.keys(texts).map((name) => join('src', name)),
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    return tsc(compiler, ['-p', folder], { mayFail: true });
  }

  return {
    folder,
    files: listed.trimEnd().split('\n').sort(),
    compile(compiler, fixture, options = {}) {
      const text = readFileSync(join(import.meta.dirname, 'fixtures/authors', fixture), 'utf8');
      return compileTexts(compiler, { [fixture]: text }, options);
    },
    compileTexts,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** The first `node` of PATH that is not the one this clone laid for itself. */
export function nodeOfTheMachine(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((entry) => !entry.includes(`${root}/.node24`) && !entry.includes('node_modules'))
    .map((entry) => join(entry, 'node'))
    .find((candidate) => existsSync(candidate));
}

function pack(from: string, folder: string): string {
  const npm = spawnSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', folder],
    {
      cwd: from,
      encoding: 'utf8',
      timeout: HANGING_MS,
      env: {
        ...process.env,
        npm_config_cache: join(folder, 'npm-cache'),
        npm_config_update_notifier: 'false',
      },
    },
  );
  assert.equal(npm.status, 0, npm.stderr);
  return join(folder, 'fairlead-extension-0.1.0.tgz');
}

function tsc(compiler: Compiler, args: readonly string[], options: { mayFail?: boolean } = {}): string {
  const bin = join(root, 'node_modules', compiler, 'bin/tsc');
  const run = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8', timeout: HANGING_MS });
  if (options.mayFail !== true) assert.equal(run.status, 0, run.stdout);
  return run.stdout + run.stderr;
}
