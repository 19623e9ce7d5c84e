import type { ScaffoldFile } from './plugin-files.ts';

/** Where the scaffold keeps the package until a registry has it; npm writes the tarball's digest into the lockfile. */
export const extensionTarball = 'vendor/fairlead-extension-0.1.0.tgz';

const library = '@fairlead/extension';

/** The files of a new extension, the tarball aside. The same name gives the same bytes, and no path of this machine. */
export function extensionFiles(name: string): readonly ScaffoldFile[] {
  return [
    { path: '.gitignore', text: 'node_modules/\n' },
    { path: 'package.json', text: `${JSON.stringify(packageJson(name), null, 2)}\n` },
    { path: 'tsconfig.json', text: `${JSON.stringify(tsconfig, null, 2)}\n` },
    { path: 'src/extension.ts', text: source(name) },
    { path: 'test/extension.test.ts', text: testSource },
    { path: 'README.md', text: readme(name) },
  ];
}

function packageJson(name: string): object {
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=24' },
    exports: { '.': './src/extension.ts' },
    scripts: { test: 'node --test "test/**/*.test.ts"', typecheck: 'tsc --noEmit' },
    dependencies: { [library]: `file:${extensionTarball}` },
    devDependencies: { '@types/node': '^24.0.0', typescript: '^5.8.0' },
  };
}

/** The host runs TypeScript by taking the types away, so what has to be compiled is refused here already. */
const tsconfig = {
  compilerOptions: {
    target: 'ES2024',
    lib: ['ES2024', 'ESNext.Disposable'],
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['src', 'test'],
};

function source(name: string): string {
  return `import { defineExtension, s } from '${library}';

export default defineExtension({
  name: '${name}',
  version: '0.1.0',
  settings: { limit: s.integer({ default: 100, minimum: 1, description: 'Notes that are kept' }) },
  // What open returns is ctx.state; it lives as long as the host has this extension.
  open: () => ({ notes: [] as string[] }),
  tools: {
    take_note: {
      about: 'Keeps a short note until the host ends.',
      args: { text: s.string({ minLength: 1, maxLength: 500, description: 'What to keep' }) },
      // It touches nothing outside: a throw then means that nothing happened elsewhere.
      effect: 'records',
      run({ text }, ctx) {
        ctx.state.notes.push(text);
        ctx.state.notes.splice(0, ctx.state.notes.length - ctx.settings.limit);
        return \`Kept. Notes: \${ctx.state.notes.length}.\`;
      },
    },
  },
  commands: {
    notes: {
      about: 'Shows the notes.',
      run: (_args, ctx) => (ctx.state.notes.length === 0 ? 'There are no notes.' : ctx.state.notes.join('\\n')),
    },
  },
  // Which tools the hook judges; without this line it would judge every tool of every extension.
  gates: ['take_note'],
  on: {
    toolCall: (call) =>
      typeof call.args['text'] === 'string' && /password/i.test(call.args['text'])
        ? { block: 'Passwords are not for notes.' }
        : undefined,
  },
  status: (ctx) => ({ notes: String(ctx.state.notes.length) }),
});
`;
}

const testSource = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '${library}/testing';
import extension from '../src/extension.ts';

test('a note is kept and shown', async () => {
  await using t = await harness(extension);
  assert.equal(await t.command('/notes'), 'There are no notes.');
  const kept = await t.tools.take_note({ text: 'buy milk' });
  assert.deepEqual([kept.certainty, kept.text], ['completed', 'Kept. Notes: 1.']);
  assert.equal(await t.command('/notes'), 'buy milk');
});

test('more notes than the setting says push the oldest out', async () => {
  await using t = await harness(extension, { settings: { limit: 1 } });
  await t.tools.take_note({ text: 'one' });
  await t.tools.take_note({ text: 'two' });
  assert.equal(await t.command('/notes'), 'two');
});

test('a password is not noted', async () => {
  await using t = await harness(extension);
  const verdict = await t.toolCall({ tool: 'take_note', args: { text: 'the password is 1234' } });
  assert.deepEqual(verdict, { block: 'Passwords are not for notes.' });
});

test('nothing is wrong with what it contributes, and nothing is left open', async () => {
  const t = await harness(extension);
  assert.deepEqual(await t.check(), []);
  assert.deepEqual((await t.close()).leftOpen, []);
});
`;

function readme(name: string): string {
  return `# ${name}

An extension for Fairlead. It runs in a worker of the host, with the rights of whoever runs the host: nothing sandboxes it.

\`\`\`sh
npm install
npm test
\`\`\`

Have it looked at, load it, and load it again after each change:

\`\`\`sh
fairlead ext check .
fairlead ext load .
fairlead ext reload ${name}
\`\`\`

To have it at every start, name this folder in the host's \`fairlead.toml\`:

\`\`\`toml
[[extensions.path]]
path = "/ABSOLUTE/PATH/TO/${name}"
\`\`\`

\`vendor/\` holds the library; your lockfile records its digest. In the host the extension gets the host's own copy.
`;
}
