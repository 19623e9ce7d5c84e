// Extensions in a real host: from fairlead.toml, and by `fairlead ext`.
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { allBuiltins } from '@fairlead/builtins';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { fairlead, type Host, startHost } from './fairlead-process.ts';

type Row = {
  readonly name: string;
  readonly state: string;
  readonly generation: number;
  readonly reason: { readonly code: string } | null;
  readonly failures: readonly { readonly code: string; readonly reason: string }[];
  readonly ref?: { readonly digest?: string };
};

/** What runs in every host. */
const BUILTINS: readonly string[] = allBuiltins.map(({ manifest }) => manifest.name);

const extension = (name: string, more = '') =>
  `import { defineExtension, s } from '@fairlead/extension';
export default defineExtension({ name: '${name}', version: '1.0.0', ${more}
  tools: { hello: { about: 'Says hello.', run: () => 'hello' } } });`;

function folderWith(folder: string, name: string, text: string): string {
  const made = join(folder, name);
  mkdirSync(made, { recursive: true });
  writeFileSync(join(made, 'extension.ts'), text);
  return made;
}

async function rows(t: TestContext, host: Host): Promise<readonly Row[]> {
  const list = await fairlead(t, ['ext', 'list', '--json', '--state-dir', host.stateDirectory]);
  assert.equal(list.exit, 0, list.stderr);
  return (JSON.parse(list.stdout) as { extensions: Row[] }).extensions;
}

async function reloadOverHttp(host: Host, name: string): Promise<{ readonly certainty: string }> {
  const response = await fetch(`${host.ready.url}/api/admin/extensions/${name}/reload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${host.token}`, connection: 'close' },
  });
  const body = (await response.json()) as { readonly dispatch_certainty: string };
  return { certainty: body.dispatch_certainty };
}

const ext = (t: TestContext, host: Host, ...args: string[]) =>
  fairlead(t, ['ext', ...args, '--state-dir', host.stateDirectory], { cwd: host.stateDirectory });

test('the folders of fairlead.toml are loaded at the start; one that is broken is shown and stops nothing', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  mkdirSync(stateDirectory, { mode: 0o700 });
  folderWith(
    folder,
    'state/near',
    extension(
      'near',
      "settings: { word: s.string({ default: 'none' }) }, open: (scope) => { console.log(scope.settings.word, JSON.stringify(process.env)); },",
    ),
  );
  const broken = folderWith(folder, 'broken', 'export default 7;');
  writeFileSync(
    join(stateDirectory, 'fairlead.toml'),
    [
      '[[extensions.path]]',
      'path = "near"',
      '[[extensions.path]]',
      `path = ${JSON.stringify(broken)}`,
      '[extensions.near]',
      `env = { GREETING = "\${WORD_OF_TEST}" }`,
      '[extensions.near.settings]',
      `word = "\${WORD_OF_TEST}"`,
    ].join('\n'),
  );
  const host = await startHost(t, { stateDirectory, command: 'serve', env: { WORD_OF_TEST: 'xyzzy' } });
  const found = await rows(t, host);
  assert.deepEqual(
    found.map(({ name, state, reason }) => [name, state, reason?.code ?? null]),
    [
      ...BUILTINS.map((name) => [name, 'running', null]),
      ['near', 'running', null],
      [broken, 'down', 'extension_not_defined'],
    ],
  );
  const printed = await ext(t, host, 'output', 'near');
  assert.equal(printed.stdout, 'xyzzy {"GREETING":"xyzzy"}\n');
  const mended = folderWith(folder, 'broken', extension('mended'));
  const reloaded = await ext(t, host, 'reload', mended);
  assert.equal(
    reloaded.stdout,
    'reloaded mended 1.0.0\nnote: its tool hello is hidden by the one of near where both are on\n',
    reloaded.stderr,
  );
  assert.deepEqual(
    (await rows(t, host)).map(({ name }) => name),
    [...BUILTINS, 'near', 'mended'],
  );
});

test('an extension is loaded, reloaded and unloaded while the host runs; a reload that fails leaves what runs', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const host = await startHost(t, { stateDirectory: join(folder, 'state'), command: 'serve' });
  const made = folderWith(folder, 'dice', `console.log('ready');\n${extension('dice')}`);
  const loaded = await ext(t, host, 'load', made);
  assert.deepEqual([loaded.exit, loaded.stdout], [0, 'loaded dice 1.0.0\n'], loaded.stderr);
  const first = (await rows(t, host)).find(({ name }) => name === 'dice');
  symlinkSync(made, join(folder, 'link'));
  const again = await ext(t, host, 'load', join(folder, 'link'));
  assert.equal(again.exit, 0, again.stderr);
  assert.equal((await ext(t, host, 'output', join(folder, 'link'))).stdout, 'ready\n', 'it is still read');
  assert.equal((await rows(t, host)).filter(({ name }) => name === 'dice').length, 1);

  folderWith(folder, 'dice', 'this is no TypeScript at all {');
  const refused = await ext(t, host, 'reload', 'dice');
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /extension_load_failed/);
  assert.match(refused.stderr, /next: /);
  assert.deepEqual(
    (await rows(t, host)).find(({ name }) => name === 'dice'),
    first,
  );

  folderWith(folder, 'dice', extension('other'));
  const renamed = await ext(t, host, 'reload', 'dice');
  assert.match(renamed.stderr, /manifest_mismatch/);

  folderWith(folder, 'dice', extension('dice', 'open: () => { throw new Error("no dice"); },'));
  const closed = await ext(t, host, 'reload', 'dice');
  assert.match(closed.stderr, /no dice.*\(instantiate_failed\)/);
  const { certainty } = await reloadOverHttp(host, 'dice');
  assert.equal(certainty, 'completed', 'its open has run');
  assert.equal((await rows(t, host)).find(({ name }) => name === 'dice')?.state, 'running');

  folderWith(folder, 'dice', extension('dice', "status: () => ({ dice: 'two' }),"));
  const reloaded = await ext(t, host, 'reload', 'dice');
  assert.equal(reloaded.stdout, 'reloaded dice 1.0.0\n', reloaded.stderr);
  const second = (await rows(t, host)).find(({ name }) => name === 'dice');
  assert.notEqual(second?.ref?.digest, first?.ref?.digest);

  const beside = folderWith(
    folder,
    'twin',
    extension('twin', "commands: { help: { about: 'Helps.', run: () => 'no' } },"),
  );
  const noted = await ext(t, host, 'load', beside);
  assert.equal(
    noted.stdout,
    'loaded twin 1.0.0\nnote: its command help was left out\nnote: its tool hello is hidden by the one of dice where both are on\n',
    noted.stderr,
  );
  const notedAgain = await ext(t, host, 'reload', 'twin', '--json');
  assert.deepEqual(JSON.parse(notedAgain.stdout).notes, [
    'its command help was left out',
    'its tool hello is hidden by the one of dice where both are on',
  ]);
  for (const act of ['reload', 'unload', 'output'])
    assert.match((await ext(t, host, act, 'dicce')).stderr, /Did you mean dice\? \(extension_unknown\)/);

  assert.equal((await ext(t, host, 'unload', made)).stdout, 'unloaded dice\n');
  assert.equal(
    (await rows(t, host)).find(({ name }) => name === 'dice'),
    undefined,
  );
  const gone = await ext(t, host, 'unload', 'dice');
  assert.match(gone.stderr, /extension_unknown/);
  const own = await ext(t, host, 'reload', 'path_normalizer');
  assert.match(own.stderr, /extension_has_no_folder/);
});

test('a second folder of one name, and one whose global instance does not open, are told as what they are', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const host = await startHost(t, { stateDirectory: join(folder, 'state'), command: 'serve' });
  const one = folderWith(folder, 'one', extension('dice'));
  const two = folderWith(folder, 'two', extension('dice', "status: () => ({ a: 'b' }),"));
  await ext(t, host, 'load', one);
  const second = await ext(t, host, 'load', two);
  assert.deepEqual([second.exit, /extension_duplicate/.test(second.stderr)], [1, true], second.stderr);
  const shut = folderWith(folder, 'shut', extension('shut', 'open: () => { throw new Error("no key"); },'));
  const closed = await ext(t, host, 'load', shut);
  assert.equal(closed.exit, 1);
  assert.match(closed.stderr, /It is installed and not open: .*no key.* \(instantiate_failed\)/);
  const dying = folderWith(folder, 'dying', extension('dying', 'open: () => process.exit(3),'));
  const dead = await ext(t, host, 'load', dying);
  assert.equal(dead.exit, 1);
  assert.match(dead.stderr, /It is installed and does not run: .*\(extension_crashed\)/);
  const list = await ext(t, host, 'list');
  assert.match(list.stdout, /shut +1\.0\.0 +worker +global +tool +failing\n/);
  assert.match(list.stdout, /! shut \(global\): .*no key.*\(instantiate_failed\)\n/);
});

test('a value of fairlead.toml that cannot be used ends the start with its line, and without the value', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  writeFileSync(join(folder, 'state/fairlead.toml'), '\n[extensions.dice]\nenv = { TOKEN = 12345678 }\n');
  const refused = await fairlead(t, ['serve', '--state-dir', join(folder, 'state'), '--port', '0']);
  assert.equal(refused.exit, 1);
  assert.match(
    refused.stderr,
    /fairlead\.toml line 3: extensions\.dice\.env\.TOKEN must be a variable and its text/,
  );
  assert.equal(refused.stderr.includes('12345678'), false);
});
