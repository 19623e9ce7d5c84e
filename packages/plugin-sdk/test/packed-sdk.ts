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
const sdk = join(root, 'packages/plugin-sdk');

/** Only catches hanging. */
const HANGING_MS = 120_000;

/** The two ends of what the published types must be accepted by. */
export const compilers = ['typescript', 'typescript-5.4'] as const;
type Compiler = (typeof compilers)[number];

type CompilerOptions = Readonly<Record<string, unknown>>;

/** A project of an author's, with the packed SDK installed in it. */
export interface AuthorProject {
  readonly folder: string;
  /** What the compiler says about a file of test/fixtures; empty when it accepts it. Emits to `dist/`. */
  compile(compiler: Compiler, fixture: string, options?: CompilerOptions): string;
  /** The same for a text. */
  compileText(compiler: Compiler, name: string, text: string, options?: CompilerOptions): string;
  /** The names of the files in the tarball. */
  readonly files: readonly string[];
  remove(): void;
}

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

/** Builds the SDK from source, packs it with the machine's npm, and unpacks it into a new project. */
export function authorProject(): AuthorProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sdk-')));
  const source = join(folder, 'source');
  mkdirSync(source);
  for (const name of ['package.json', 'README.md', 'LICENSE']) cpSync(join(sdk, name), join(source, name));
  tsc('typescript', ['-p', join(sdk, 'tsconfig.build.json'), '--outDir', join(source, 'dist')]);
  const tarball = pack(source, folder);
  const installed = join(folder, 'node_modules/@fairlead/plugin-sdk');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
  mkdirSync(join(folder, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n');

  function compileText(
    compiler: Compiler,
    name: string,
    text: string,
    options: CompilerOptions = {},
  ): string {
    mkdirSync(join(folder, 'src'), { recursive: true });
    writeFileSync(join(folder, 'src', name), text);
    const project = {
      compilerOptions: { ...AUTHOR_OPTIONS, ...options },
      files: [join('src', name)],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    return tsc(compiler, ['-p', folder], { mayFail: true });
  }

  return {
    folder,
    files: listed.trimEnd().split('\n').sort(),
    compile(compiler, fixture, options = {}) {
      const text = readFileSync(join(import.meta.dirname, 'fixtures', fixture), 'utf8');
      return compileText(compiler, fixture, text, options);
    },
    compileText,
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

function pack(source: string, folder: string): string {
  const npm = spawnSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', folder],
    {
      cwd: source,
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
  return join(folder, 'fairlead-plugin-sdk-0.1.0.tgz');
}

function tsc(compiler: Compiler, args: readonly string[], options: { mayFail?: boolean } = {}): string {
  const bin = join(root, 'node_modules', compiler, 'bin/tsc');
  const run = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8', timeout: HANGING_MS });
  if (options.mayFail !== true) assert.equal(run.status, 0, run.stdout);
  return run.stdout + run.stderr;
}
