import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type AuthorProject, compilers } from '@fairlead/testing';
import { extensionProject, NODE_OPTIONS } from './packed-extension.ts';

let project: AuthorProject;
before(() => {
  project = extensionProject();
});
after(() => project.remove());

const root = join(import.meta.dirname, '../../..');

/** Every TypeScript block of the pages that authors read. */
const snippets = ['packages/extension/README.md', 'docs/reference/extension-api.md'].flatMap((path) =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
    ([, text = ''], index) => ({
      name: `${path.includes('README') ? 'readme' : 'reference'}-${index}.ts`,
      text,
    }),
  ),
);
const texts = Object.fromEntries(snippets.map(({ name, text }) => [name, text]));

test('there are snippets of extensions and of a test', () => {
  assert.ok(snippets.length >= 5);
  assert.ok(snippets.some(({ text }) => text.includes('node:test')));
});

for (const compiler of compilers) {
  test(`${compiler}: every snippet compiles as an author’s file`, () => {
    assert.equal(project.compileTexts(compiler, texts, NODE_OPTIONS), '');
  });
}

test('the tests in the snippets pass, and the extensions in them are good to install', () => {
  assert.equal(project.compileTexts('typescript', texts, NODE_OPTIONS), '');
  for (const { name, text } of snippets) {
    const file = join(project.folder, 'dist', name.replace('.ts', '.js'));
    const script = text.includes('node:test')
      ? `await import(${JSON.stringify(file)});`
      : `import { harness } from '@fairlead/extension/testing';
         const { default: extension } = await import(${JSON.stringify(file)});
         const t = await harness(extension);
         const problems = await t.check();
         const { leftOpen } = await t.close();
         if (problems.length + leftOpen.length > 0) throw new Error([...problems, ...leftOpen].join());`;
    const { status, stderr, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: project.folder,
      encoding: 'utf8',
      timeout: 60_000,
      // A test that runs below this one reports to its own standard output.
      env: { PATH: process.env['PATH'] },
    });
    assert.equal(status, 0, `${name}: ${stderr}${stdout}`);
  }
});
