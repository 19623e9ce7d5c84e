/** One file of a scaffold: its path inside the folder, and its text. */
export type ScaffoldFile = { readonly path: string; readonly text: string };

/** Where the scaffold keeps the SDK until the registry has it; npm writes the tarball's digest into the lockfile. */
export const sdkTarball = 'vendor/fairlead-plugin-sdk-0.1.0.tgz';

const sdk = '@fairlead/plugin-sdk';

/** The files of a new plugin, the SDK's tarball aside. The same id gives the same bytes, and no path of this machine. */
export function pluginFiles(id: string): readonly ScaffoldFile[] {
  return [
    { path: '.gitignore', text: 'node_modules/\ndist/\n' },
    { path: 'package.json', text: `${JSON.stringify(packageJson(id), null, 2)}\n` },
    { path: 'tsconfig.json', text: `${JSON.stringify(tsconfig, null, 2)}\n` },
    { path: 'src/plugin.ts', text: pluginSource },
    { path: 'README.md', text: readme(id) },
  ];
}

function packageJson(id: string): object {
  return {
    name: id,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=18' },
    scripts: { typecheck: 'tsc --noEmit', build: 'tsc' },
    dependencies: { [sdk]: `file:${sdkTarball}` },
    devDependencies: { '@types/node': '^18.19.0', typescript: '^5.4.0' },
  };
}

const tsconfig = {
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};

const pluginSource = `import { definePlugin, defineTool, runPlugin, schema, textResult } from '${sdk}';

const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Answers with the text that it was given.',
  inputSchema: schema.object({
    text: schema.string({ minLength: 1, maxLength: 4096, description: 'What to say again.' }),
  }),
  outputSchema: schema.object({ text: schema.string({ maxLength: 4096 }) }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  execute({ text }) {
    return textResult(text, { text });
  },
});

runPlugin(definePlugin({ tools: [echo] }));
`;

function readme(id: string): string {
  return `# ${id}

A native tool plugin. It runs with the rights of whoever runs the Runner: nothing sandboxes it.

\`\`\`sh
npm install
npm run build
\`\`\`

Then register it in the Runner's \`runner.toml\`, with the absolute path of this folder:

\`\`\`toml
[[plugins.providers]]
id = "${id}"
name = "${id}"
command = "node"
args = ["/ABSOLUTE/PATH/TO/${id}/dist/plugin.js"]
timeout_secs = 30
\`\`\`

and have it looked at and taken in:

\`\`\`sh
fairlead plugin check --runner RUNNER --plugin ${id}
fairlead plugin reload --runner RUNNER
\`\`\`

Standard output carries the protocol alone; write notes to standard error, and read them on the Runner's machine with
\`fairlead runner stderr ${id}\`. \`vendor/\` holds the SDK; your lockfile records its digest.
`;
}
