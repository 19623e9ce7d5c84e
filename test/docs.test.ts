// What the pages say is held here: links, commands, what commands print, configuration, snippets.
// A block of commands says above it what becomes of it:
//   <!-- run -->  <!-- run: exit 1 -->  <!-- run: until TEXT -->  <!-- run: needs curl -->  <!-- not run: reason -->
// and what is printed, what is saved, and what the page needs:
//   <!-- output -->  <!-- file: PATH -->  <!-- append: PATH -->  <!-- page: host -->  <!-- page: needs python3 -->
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readHostConfig } from '@fairlead/gateway';
import { mcpKeys } from '@fairlead/mcp';
import { readRunnerConfig } from '@fairlead/runner';
import { hygiene, type Requirement, repositoryRoot, requires, temporaryFolder } from '@fairlead/testing';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { extensionKeys, extensionTablesOf } from '../packages/cli/src/extensions/extension-tables.ts';
import { mcpTablesOf } from '../packages/cli/src/extensions/mcp-tables.ts';
import { agentTableKeys, agentTablesOf } from '../packages/cli/src/host/agent-tables.ts';
import { buildProgram } from '../packages/cli/src/program.ts';
import { commandsOf, documentedCommands } from './docs/command-reference.ts';
import { type Block, type Page, readPages } from './docs/markdown.ts';
import { assertShown } from './docs/shown-output.ts';
import { UP, Workspace } from './docs/workspace.ts';

const pages = readPages(repositoryRoot);

function pageAt(path: string): Page {
  const page = pages.find((found) => found.path === path);
  assert.ok(page !== undefined, `there is no page ${path}`);
  return page;
}

/** Pages of single packages: their blocks of commands as a whole. */
const ofPackages: Readonly<Record<string, 'run in its folder' | { readonly notRun: string }>> = {
  'bench/README.md': { notRun: 'it takes minutes, and its figures need a quiet machine' },
  'examples/plugins/raw-node/README.md': 'run in its folder',
  'examples/plugins/raw-python/README.md': 'run in its folder',
  'examples/plugins/sdk-echo/README.md': 'run in its folder',
  'packages/plugin-conformance/README.md': {
    notRun: 'the package’s own tests install it and run its programs',
  },
  'packages/plugin-sdk/README.md': { notRun: 'the package’s own tests pack it and use it as an author does' },
};

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'shell', 'console', 'zsh']);

test('every relative link names a file, and a heading of it where it names one', () => {
  const broken: string[] = [];
  for (const page of pages) {
    for (const { target, line } of page.links) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? page.path : posix.normalize(posix.join(posix.dirname(page.path), file));
      if (!existsSync(join(repositoryRoot, path)))
        broken.push(`${page.path}:${line} ${target}: no such file`);
      else if (
        anchor !== undefined &&
        pages.find((found) => found.path === path)?.anchors.has(anchor) !== true
      )
        broken.push(`${page.path}:${line} ${target}: no such heading`);
    }
  }
  assert.deepEqual(broken, []);
});

test('every package, plugin and example has a README', () => {
  const without = ['packages', 'plugins', 'examples/plugins'].flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${folder}/${entry.name}`)
      .filter((path) => !existsSync(join(repositoryRoot, path, 'README.md'))),
  );
  assert.deepEqual(without, []);
});

test('every page of docs is reached from its index', () => {
  const index = pageAt('docs/README.md');
  const reached = new Set(index.links.map(({ target }) => posix.join('docs', target.split('#')[0] ?? '')));
  const lost = pages
    .map(({ path }) => path)
    .filter((path) => path.startsWith('docs/') && path !== index.path && !reached.has(path));
  assert.deepEqual(lost, []);
});

test('every source file that a page names exists', () => {
  const sources = globSync('{packages,plugins,examples,bench,test,tools}/**/*.{ts,js,mjs,sh,py}', {
    cwd: repositoryRoot,
    exclude: (name) => /(^|[/\\])(node_modules|dist)$/.test(name),
  }).map((path) => path.replaceAll('\\', '/'));
  const gone: string[] = [];
  for (const page of pages.filter(({ path }) => /^[A-Z]+\.md$|^docs\//.test(path))) {
    for (const [, named = ''] of page.text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|js|sh))`/g)) {
      const isThere = named.includes('/')
        ? sources.includes(named)
        : sources.some((path) => path.endsWith(`/${named}`));
      // A page that tells how to write a plugin names files that its reader makes.
      if (!isThere && !/^(src|dist)\//.test(named)) gone.push(`${page.path} ${named}`);
    }
  }
  assert.deepEqual(gone, []);
});

test('no page names a path, host or user of the machine that it was written on', () => {
  const machine = [repositoryRoot, homedir(), hostname()]
    .filter((word) => word.length > 4 && word !== 'localhost')
    .map((word) => new RegExp(`(?<![\\w.-])${word.replaceAll(/[^\w]/g, '\\$&')}(?![\\w.-])`));
  // An absolute path of a page begins with one of these; anything else is some machine's own.
  const known = /^\/(home\/you|absolute|api|bin|dev|etc|healthz|opt|path|proc|srv|tmp|usr|var)(\/|$)/;
  const named: string[] = [];
  for (const page of pages) {
    page.text.split('\n').forEach((content, index) => {
      const where = `${page.path}:${index + 1}`;
      if (machine.some((pattern) => pattern.test(content))) named.push(`${where} names this machine`);
      for (const [path] of content.matchAll(/(?<![\w./~$}<>@:*…)`-])\/[A-Za-z][\w.-]*\/[\w./-]+/g)) {
        if (!known.test(path)) named.push(`${where} ${path}`);
      }
    });
  }
  assert.deepEqual(named, []);
});

test('every block of commands says whether it is run, in words that are known', () => {
  const known = /^(run(: (exit \d|until .+|needs \w+))?|not run: .+|output|(file|append): .+|page: .+)$/;
  const faults = pages
    .filter(({ path }) => ofPackages[path] === undefined)
    .flatMap((page) =>
      page.blocks
        .filter(({ language, marker }) =>
          marker === null
            ? shells.has(language)
            : !known.test(marker) || (shells.has(language) && !/^(not )?run/.test(marker)),
        )
        .map((block) => `${page.path}:${block.line} ${block.marker ?? 'no comment above it'}`),
    );
  assert.deepEqual(faults, []);
});

test('every TOML block is a configuration file that is accepted without a warning', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'shown.toml');
  for (const { page, block } of blocksIn('toml')) {
    const where = `${page.path}:${block.line}`;
    writeFileSync(path, block.text);
    if (isHostConfig(page, block)) {
      const readElsewhere = [...extensionKeys, ...agentTableKeys, ...mcpKeys];
      const reading = await readHostConfig({ path, isNamed: true, env: {}, readElsewhere });
      assert.ok(reading.ok, `${where} ${reading.ok ? '' : reading.fault.message}`);
      assert.deepEqual(reading.warnings, [], where);
      const warned: string[] = [];
      extensionTablesOf(reading, (message) => warned.push(message));
      agentTablesOf(reading, 'UTC', (message) => warned.push(message));
      mcpTablesOf(reading, (message) => warned.push(message));
      assert.deepEqual(warned, [], where);
    } else {
      const reading = await readRunnerConfig(path, 'linux');
      assert.ok(reading.ok, `${where} ${reading.ok ? '' : reading.localDetail}`);
      assert.deepEqual(reading.warnings, [], where);
    }
  }
});

test('every JSON block is JSON', () => {
  for (const { page, block } of blocksIn('json')) {
    if (!block.text.includes('…'))
      assert.doesNotThrow(() => JSON.parse(block.text), `${page.path}:${block.line}`);
  }
});

test('every TypeScript block compiles', (t) => {
  const folder = temporaryFolder(t);
  symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const { compilerOptions } = JSON.parse(readFileSync(join(repositoryRoot, 'tsconfig.json'), 'utf8')) as {
    readonly compilerOptions: Record<string, unknown>;
  };
  // One that leaves something out is for reading; one that imports a file beside it is compiled by its page, where that file is.
  const shown = blocksIn('ts').filter(({ block }) => !/…|from '\.\.?\//.test(block.text));
  shown.forEach(({ block }, index) => {
    writeFileSync(join(folder, `${index}.ts`), `${block.text}\nexport {};\n`);
  });
  assert.ok(shown.length > 0);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  try {
    execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  } catch (error) {
    const places = shown.map(({ page, block }, index) => `${index}.ts is ${page.path}:${block.line}`);
    assert.fail(`${(error as { stdout?: string }).stdout}\n${places.join('\n')}`);
  }
});

for (const page of pages) {
  const runs = page.blocks.filter(({ marker }) => marker === 'run' || marker?.startsWith('run:') === true);
  if (runs.length === 0) continue;
  const needs = page.remarks.filter((remark) => remark.startsWith('needs '));
  const skip = needs.map((remark) => requires(remark.slice('needs '.length) as Requirement)).find(Boolean);
  test(`the commands of ${page.path} do what it says`, { skip: skip ?? false }, async (t) => {
    hygiene(t);
    const workspace = new Workspace(temporaryFolder(t));
    t.after(() => workspace.close());
    let printed: Printed = page.remarks.includes('host')
      ? await workspace.start(UP, 'Ctrl-C stops everything.')
      : undefined;
    for (const block of page.blocks) printed = await follow(t, page, block, { workspace, printed });
  });
}

/** What was printed last: null where that block was passed over, undefined before the first one. */
type Printed = string | null | undefined;

/** Does what the comment above a block says. */
async function follow(
  t: TestContext,
  page: Page,
  block: Block,
  { workspace, printed }: { readonly workspace: Workspace; readonly printed: Printed },
): Promise<Printed> {
  const where = `${page.path}:${block.line}`;
  const [word = '', detail = ''] = (block.marker ?? '').split(/:\s*(.*)/s);
  switch (word) {
    case 'run': {
      if (detail.startsWith('until ')) return workspace.start(block.text, detail.slice('until '.length));
      if (detail.startsWith('needs ')) {
        const skip = requires(detail.slice('needs '.length) as Requirement);
        if (skip !== false) {
          await t.test(`${where} is run`, { skip });
          return null;
        }
      }
      const expected = detail.startsWith('exit ') ? Number(detail.slice('exit '.length)) : 0;
      const { status, output } = await workspace.run(block.text);
      assert.equal(status, expected, `${where} ended with ${status} and printed\n${output}`);
      return output;
    }
    case 'output':
      assert.ok(printed !== undefined, `${where} shows what nothing has printed`);
      if (printed !== null) assertShown(printed, block.text, where);
      return printed;
    case 'file':
    case 'append':
      workspace.write(detail, block.text, word === 'file' ? 'new' : 'append');
      return printed;
    default:
      return printed;
  }
}

for (const [path, how] of Object.entries(ofPackages)) {
  if (typeof how !== 'string') continue;
  const skip = path.includes('python') ? requires('python3') : false;
  test(`the commands of ${path} run in its folder`, { skip }, async (t) => {
    hygiene(t);
    const workspace = new Workspace(temporaryFolder(t));
    const blocks = pageAt(path).blocks.filter(({ language }) => shells.has(language));
    assert.ok(blocks.length > 0);
    for (const { text } of blocks) {
      const { status, output } = await workspace.run(`cd ${dirname(path)}\n${text}`);
      assert.equal(status, 0, output);
      assert.match(output, /"isError":false|"is_?[Ee]rror": ?false|"result"/);
    }
  });
}

test('docs/reference/cli.md has every command with exactly its flags', () => {
  const program = buildProgram({} as Parameters<typeof buildProgram>[0], () => {});
  assert.deepEqual(documentedCommands(pageAt('docs/reference/cli.md').text), commandsOf(program));
});

test('docs/reference/cli.md has every exit status', () => {
  const { text } = pageAt('docs/reference/cli.md');
  const table = /## Exit status\n([\s\S]*?)\n## /.exec(text)?.[1] ?? '';
  const rows = [...table.matchAll(/^\| +(\d+) /gm)].map(([, status]) => Number(status));
  assert.deepEqual(rows, Object.values(exitCodes));
});

function blocksIn(language: string): { readonly page: Page; readonly block: Block }[] {
  return pages.flatMap((page) =>
    page.blocks
      .filter((block) => block.language === language && block.marker?.startsWith('not run: ') !== true)
      .map((block) => ({ page, block })),
  );
}

function isHostConfig(page: Page, block: Block): boolean {
  return (
    page.path.endsWith('configuration-host.md') ||
    /^\[+(gateway|policy|limits|extensions|backends|agents|schedules|web|skills|embedding|mcp|plugins\.pinned)\b/m.test(
      block.text,
    )
  );
}
