import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type AuthorProject, compilers, nodeOfTheMachine } from '@fairlead/testing';
import { extensionProject, NODE_OPTIONS } from './packed-extension.ts';

let project: AuthorProject;
before(() => {
  project = extensionProject();
});
after(() => project.remove());

const oldNode = nodeOfTheMachine();
const withoutOldNode = oldNode === undefined ? 'needs a node of the machine on PATH' : false;

// Only catches hanging.
const HANGING_MS = 60_000;

test('the tarball holds the built files, README and licence, and nothing else', () => {
  assert.deepEqual(
    project.files.filter((name) => !/^package\/dist\/[a-z/-]+\.(js|d\.ts)$/.test(name)),
    ['package/LICENSE', 'package/README.md', 'package/package.json'],
  );
  for (const entry of ['index', 'builtin/index', 'testing/index', 'runtime/index'])
    for (const suffix of ['js', 'd.ts']) assert.ok(project.files.includes(`package/dist/${entry}.${suffix}`));
});

test('the built package needs nothing but Node', () => {
  const dist = join(project.folder, 'node_modules/@fairlead/extension/dist');
  const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  assert.equal(scripts.length > 40, true);
  for (const script of scripts) {
    const text = readFileSync(join(dist, script), 'utf8');
    for (const [, specifier] of text.matchAll(/\bfrom '([^']+)'/g))
      assert.match(String(specifier), /^(\.|node:)/);
  }
  const manifest: unknown = JSON.parse(readFileSync(join(dist, '../package.json'), 'utf8'));
  assert.equal(JSON.stringify(manifest).includes('ependencies'), false);
});

test('what an author writes and what the guest runs needs no Node at all', () => {
  const dist = join(project.folder, 'node_modules/@fairlead/extension/dist');
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(/\bfrom '([^']+)'/g)) {
      assert.equal(specifier.startsWith('.'), true, `${file} imports ${specifier}`);
      visit(join(file, '..', specifier));
    }
  };
  for (const entry of [
    'index.js',
    'builtin/index.js',
    'guest/guest.js',
    'carrier/serve-guest.js',
    'dispatch/hook-dispatcher.js',
  ])
    visit(join(dist, entry));
  assert.ok(reached.size > 30);
});

for (const compiler of compilers) {
  for (const [flags, options] of [
    ['every strict flag', {}],
    ['strict alone', { exactOptionalPropertyTypes: false, noUncheckedIndexedAccess: false }],
    ['a bundler', { module: 'ESNext', moduleResolution: 'Bundler' }],
    ['Node’s own types', NODE_OPTIONS],
  ] as const) {
    test(`${compiler}, ${flags}: the types infer and refuse what they promise`, () => {
      assert.equal(project.compile(compiler, 'inference.ts', options), '');
    });
  }

  test(`${compiler}: a wrong claim about a type is noticed`, () => {
    assert.match(project.compile(compiler, 'wrong-claim.ts'), /TS2344[\s\S]*TS2578/);
  });

  test(`${compiler}: schemas of zod are inferred`, () => {
    assert.equal(project.compile(compiler, 'with-zod.ts', { ...NODE_OPTIONS }), '');
  });
}

test('an extension and its test, compiled, pass under the Node of the machine on every carrier', {
  skip: withoutOldNode,
}, () => {
  const weather = readFileSync(join(import.meta.dirname, 'fixtures/weather.ts'), 'utf8');
  const script = `
import assert from 'node:assert/strict';
import { harness } from '@fairlead/extension/testing';
import weather from './weather.js';

for (const carrier of ['thread', 'json', 'worker'] as const) {
  const t = await harness(weather, { carrier, module: new URL('./weather.js', import.meta.url), settings: { unit: 'F' } });
  assert.equal((await t.tools.forecast({ city: 'Oslo' })).text, 'Oslo: 3 days of 21 F');
  assert.deepEqual(await t.toolCall({ tool: 'forecast', args: { city: 'Atlantis' } }), { block: 'There is no such city.' });
  assert.equal(await t.tail(), 'Cities known: Bergen');
  assert.deepEqual(await t.close(), { leftOpen: [] });
  console.log(carrier);
}
`;
  for (const compiler of compilers) {
    assert.equal(
      project.compileTexts(compiler, { 'weather.ts': weather, 'script.ts': script }, NODE_OPTIONS),
      '',
    );
    const { status, stdout, stderr } = spawnSync(String(oldNode), [join(project.folder, 'dist/script.js')], {
      encoding: 'utf8',
      timeout: HANGING_MS,
      env: { PATH: process.env['PATH'] },
    });
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: 'thread\njson\nworker\n', stderr: '' });
  }
});
