// What somebody has who took the tarball and has no clone.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  type AuthorProject,
  authorProject,
  compilers,
  nodeOfTheMachine,
  repositoryRoot,
} from '@fairlead/testing';

/** Only catches hanging. */
const HANGING_MS = 60_000;
const node = nodeOfTheMachine() ?? process.execPath;

let project: AuthorProject;
/** An empty project that npm has installed the tarball in, without a network. */
let empty: string;
before(() => {
  project = authorProject({
    name: 'plugin-conformance',
    fixtures: import.meta.dirname,
    modules: ['@types/node', 'undici-types'],
    options: { lib: ['ES2022', 'ESNext.Disposable'], types: ['node'] },
  });
  empty = join(project.folder, 'empty');
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{"private":true}\n');
  const npm = spawnSync('npm', ['install', '--offline', '--no-audit', '--no-fund', project.tarball], {
    cwd: empty,
    encoding: 'utf8',
    timeout: HANGING_MS,
    env: {
      ...process.env,
      npm_config_cache: join(project.folder, 'cache'),
      npm_config_update_notifier: 'false',
    },
  });
  assert.equal(npm.status, 0, npm.stderr);
  copyFileSync(join(repositoryRoot, 'examples/plugins/raw-node/plugin.mjs'), join(empty, 'plugin.mjs'));
});
after(() => project.remove());

/** One of the package's programs, as a shell finds it: with the machine's own Node first in PATH. */
function run(program: string, args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(join(empty, 'node_modules/.bin', program), args, {
    cwd: empty,
    input,
    encoding: 'utf8',
    timeout: HANGING_MS,
    env: { ...process.env, PATH: `${dirname(node)}:/usr/local/bin:/usr/bin:/bin` },
  });
  return { status, stdout, stderr };
}

test('the tarball holds what was built, the pages of the wire, README and licence, and nothing else', () => {
  assert.deepEqual(
    project.files.filter((name) => !/^package\/dist\/[a-z/-]+\.(js|d\.ts)$/.test(name)),
    [
      'package/LICENSE',
      'package/README.md',
      'package/dist/pages/native-plugin-protocol.md',
      'package/dist/pages/plugin-conformance.md',
      'package/dist/parts/process/watchdog/watchdog.sh',
      'package/package.json',
    ],
  );
});

test('the built package needs nothing but Node', () => {
  const installed = join(empty, 'node_modules/@fairlead/plugin-conformance');
  assert.deepEqual(readdirSync(join(empty, 'node_modules')).sort(), [
    '.bin',
    '.package-lock.json',
    '@fairlead',
  ]);
  assert.deepEqual(readdirSync(join(empty, 'node_modules/@fairlead')), ['plugin-conformance']);
  const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(js|d\.ts)$/.test(name),
  );
  assert.ok(files.length > 100);
  for (const file of files) {
    const text = readFileSync(join(installed, 'dist', file), 'utf8');
    for (const [, specifier] of text.matchAll(/\b(?:from|import\()\s*['"]([^'"]+)['"]/g))
      assert.match(String(specifier), /^(\.|node:)/, file);
  }
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.deepEqual(
    [manifest.private, manifest.dependencies, manifest.peerDependencies],
    [undefined, undefined, undefined],
  );
});

test('a plugin is looked at outside the clone, under the Node of the machine', () => {
  const { status, stdout, stderr } = run('fairlead-plugin-conformance', [
    '--call',
    'echo={"text":"one"}',
    '--',
    'node',
    'plugin.mjs',
  ]);
  assert.equal(stderr, '');
  assert.match(stdout, /\ncalled: echo, add\n65 passed, 0 failed, 0 advice, 0 skipped\n$/);
  assert.equal(status, 0);
});

test('where a broken clause is written can be opened by whoever has the package alone', () => {
  const { status, stdout } = run('fairlead-plugin-conformance', [
    '--json',
    '--',
    'node',
    join(empty, 'node_modules/@fairlead/plugin-conformance/dist/bin/fairlead-hostile-plugin.js'),
    'result-and-null-error',
  ]);
  assert.equal(status, 1);
  const { clauses } = JSON.parse(stdout) as {
    clauses: readonly { id: string; verdict: string; page: string; heading: string }[];
  };
  assert.deepEqual(
    clauses.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id),
    ['wire.response.one-of'],
  );
  for (const { id, page, heading } of clauses) {
    assert.ok(page.startsWith(`${empty}/node_modules/`), page);
    const headings = readFileSync(page, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('#'));
    assert.ok(
      headings.some((line) => line.replace(/^#+ /, '') === heading),
      `${id}: ${heading}`,
    );
  }
});

test('the pages in the package lead to nothing that is not there', () => {
  const pages = join(empty, 'node_modules/@fairlead/plugin-conformance/dist/pages');
  const present = readdirSync(pages);
  for (const page of present) {
    for (const [, target = ''] of readFileSync(join(pages, page), 'utf8').matchAll(/\]\(([^()\s]*)\)/g)) {
      const [file = ''] = target.split('#');
      assert.ok(file === '' || file.startsWith('https://') || present.includes(file), `${page}: ${target}`);
    }
  }
});

test('the hostile plugin plays outside the clone', () => {
  const hello =
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v1"}}\n';
  assert.deepEqual(run('fairlead-hostile-plugin', ['version-mismatch'], hello), {
    status: 0,
    stdout: '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}\n',
    stderr: '',
  });
  assert.match(run('fairlead-hostile-plugin', ['--list']).stdout, /\nnever-answers /);
  assert.deepEqual(run('fairlead-hostile-plugin', ['baner']), {
    status: 2,
    stdout: '',
    stderr:
      'No scenario is called baner. Did you mean banner? `fairlead-hostile-plugin --list` shows them all.\n',
  });
});

test('a command line that cannot be meant ends with 2 and says how it is written', () => {
  for (const [args, why] of [
    [[], /^what follows -- is the program to look at\n\nusage: /],
    [['node', 'plugin.mjs'], /^Unexpected argument 'node'/],
    [['--call', 'echo=[]', '--', 'node'], /^--call takes TOOL=JSON/],
    [['--timeout-secs', '121', '--', 'node'], /^--timeout-secs takes 1 to 120\n/],
    [
      ['--', 'no-such-program-anywhere'],
      /^the program could not be started: .* \(plugin_executable_unavailable\)\n$/,
    ],
  ] as const) {
    const { status, stdout, stderr } = run('fairlead-plugin-conformance', args);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, why);
  }
  const help = run('fairlead-plugin-conformance', ['--help']).stdout;
  assert.match(help, /^usage: /);
  assert.match(help, /\n.* 2 it could not be started, a --call could not be made, or/);
});

test('the snippet of the README compiles, and says what it finds', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const [, snippet = ''] = /```ts\n\/\/ src\/conformance\.ts\n([\s\S]*?)```/.exec(readme) ?? [];
  for (const compiler of compilers)
    assert.equal(
      project.compileTexts(
        compiler,
        { 'conformance.ts': snippet },
        { skipLibCheck: compiler !== 'typescript' },
      ),
      '',
    );
  copyFileSync(join(empty, 'plugin.mjs'), join(project.folder, 'plugin.mjs'));
  const { status, stdout } = spawnSync(node, ['dist/conformance.js'], {
    cwd: project.folder,
    encoding: 'utf8',
    timeout: HANGING_MS,
  });
  assert.match(stdout, /\n\d+ passed, 0 failed, /);
  assert.equal(status, 0);
});
