// native-plugin-protocol §15: the catalog of a project
import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type JsonObject, systemRandom } from '@fairlead/base';
import { type ProjectCatalog, readRunnerPayload } from '@fairlead/protocol';
import { hygiene, manualClock, type TestLike, temporaryFolder } from '@fairlead/testing';
import { parseRunnerConfig } from '../src/config/runner-config.ts';
import { EnvironmentSnapshots } from '../src/provider/environment-snapshots.ts';
import { projectCatalog } from '../src/providers/project-catalog.ts';
import { ProviderSet } from '../src/providers/provider-set.ts';
import { answeringTree } from './answering-tree.ts';

const SCHEMA = { type: 'object' };

/** Providers with these tools, all in one folder; the catalog of that folder. */
async function catalogOf(t: TestLike, tools: Readonly<Record<string, readonly JsonObject[]>>) {
  hygiene(t);
  const root = realpathSync(temporaryFolder(t));
  const text = Object.keys(tools)
    .map(
      (id) =>
        `[[plugins.providers]]\nid = "${id}"\nname = "Name of ${id}"\ncommand = "p"\ncwd = ${JSON.stringify(root)}\nargs = ["${id}"]`,
    )
    .join('\n');
  const reading = parseRunnerConfig(text, 'linux');
  assert.ok(reading.ok);
  const trees = new Map<string, ReturnType<typeof answeringTree>>();
  const clock = manualClock();
  const random = systemRandom();
  const watchdog = { token: 't', watch: () => {}, forget: () => {} };
  const set = new ProviderSet({
    services: {
      clock,
      random,
      platform: 'linux',
      log: () => {},
      cwd: root,
      watchdog,
      resolveExecutable: async () => ({ ok: true, path: '/p' }),
      spawnTree: async ({ args: [id = ''] }) => {
        const tree = answeringTree(tools[id]);
        trees.set(id, tree);
        return { ok: true, tree };
      },
    },
    readConfig: async () => ({ ok: true, config: reading.config, warnings: [] }),
    environmentsOf: ({ shell }, signal) =>
      new EnvironmentSnapshots({
        shell,
        base: {},
        sensitive: [],
        cwd: root,
        platform: 'linux',
        clock,
        random,
        watchdog,
        signal,
      }),
  });
  t.after(() => set.stop());
  await set.start(reading.config);
  assert.deepEqual([...new Set(set.rows().map(({ error_code: code }) => code))], [null]);
  const catalog = (id = 'site'): ProjectCatalog => {
    const made = projectCatalog({ id, root }, set.ready());
    assert.notEqual(readRunnerPayload(made), null, 'the gateway can read it');
    return made;
  };
  const reload = () => new Promise<void>((resolve) => set.reload(() => resolve()));
  const end = async (id: string) => {
    trees.get(id)?.closesStdout();
    await nextTurn();
    await nextTurn();
  };
  return { root, catalog, reload, end };
}

test('an entry has what is needed to choose a tool, and nothing that leads to its machine', async (t) => {
  const { catalog, root } = await catalogOf(t, {
    'repo-info': [
      {
        name: 'git_summary',
        title: 'Git summary',
        description: 'What git says.',
        inputSchema: SCHEMA,
        outputSchema: SCHEMA,
        annotations: {
          readOnlyHint: true,
          openWorldHint: false,
          destructiveHint: 'no',
          title: 'x',
          vendor: { a: 1 },
        },
      },
      { name: 'bare', inputSchema: SCHEMA },
    ],
  });
  const { kind, project, total_count, entries } = catalog();
  assert.deepEqual(
    { kind, project, total_count, entries },
    {
      kind: 'project_catalog',
      project: 'site',
      total_count: 2,
      entries: [
        { plugin: 'repo-info', name: 'Name of repo-info', tool: 'bare', annotations: {} },
        {
          plugin: 'repo-info',
          name: 'Name of repo-info',
          tool: 'git_summary',
          title: 'Git summary',
          description: 'What git says.',
          annotations: { readOnlyHint: true, openWorldHint: false },
        },
      ],
    },
  );
  const text = JSON.stringify(catalog());
  for (const hidden of [root, 'Schema', 'pin_', 'wc_pbind_', 'command', 'cwd', 'vendor'])
    assert.equal(text.includes(hidden), false, hidden);
});

test('entries are sorted by plugin, then by tool, whatever the order of file and program', async (t) => {
  const tool = (name: string) => ({ name, inputSchema: SCHEMA });
  const { catalog } = await catalogOf(t, {
    z: [tool('b'), tool('B'), tool('a')],
    'a.b': [tool('only')],
    a: [tool('x10'), tool('x9')],
  });
  assert.deepEqual(
    catalog().entries.map(({ plugin, tool }) => `${plugin} ${tool}`),
    ['a x10', 'a x9', 'a.b only', 'z B', 'z a', 'z b'],
  );
});

describe('a description', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['of 512 bytes is whole', 'x'.repeat(512), 'x'.repeat(512)],
    ['of more is cut', 'x'.repeat(513), 'x'.repeat(512)],
    ['is cut before a character of two bytes', `${'x'.repeat(511)}é`, 'x'.repeat(511)],
    ['is cut before one of four', `${'x'.repeat(509)}🧭`, 'x'.repeat(509)],
    ['keeps one that just fits', `${'x'.repeat(508)}🧭z`, `${'x'.repeat(508)}🧭`],
    ['may be empty', '', ''],
  ];
  for (const [what, description, shown] of rows)
    test(what, async (t) => {
      const { catalog } = await catalogOf(t, { p: [{ name: 't', description, inputSchema: SCHEMA }] });
      assert.equal(catalog().entries[0]?.description, shown);
    });
});

test('a catalog has at most as many entries as fit in 64 KiB, and counts all of them', async (t) => {
  const tools = Array.from({ length: 128 }, (_, index) => ({
    name: `tool_${String(index).padStart(3, '0')}`,
    description: '"\\'.repeat(256),
    inputSchema: SCHEMA,
  }));
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const { catalog } = await catalogOf(t, Object.fromEntries(ids.map((id) => [id, tools])));
  const { total_count: total, entries } = catalog();
  assert.equal(total, 1024);
  const bytes = Buffer.byteLength(JSON.stringify(entries));
  assert.ok(bytes <= 65_536, `${bytes} bytes`);
  assert.ok(bytes > 65_536 - 1200, 'no entry that had room is missing');
  assert.deepEqual([entries[0]?.plugin, entries[0]?.tool], ['a', 'tool_000']);
});

describe('the revision', () => {
  const tools = { p: [{ name: 't', inputSchema: SCHEMA }], q: [{ name: 't', inputSchema: SCHEMA }] };

  test('has its form, and is the same as long as nothing happens', async (t) => {
    const { catalog } = await catalogOf(t, tools);
    assert.match(catalog().catalog_revision, /^wc_plugcat_[A-Za-z0-9_-]{43}$/);
    assert.equal(catalog().catalog_revision, catalog().catalog_revision);
    assert.notEqual(catalog('site').catalog_revision, catalog('other').catalog_revision);
  });

  test('is another one when an instance is replaced by an equal one', async (t) => {
    const { catalog, reload } = await catalogOf(t, tools);
    const before = catalog();
    await reload();
    const after = catalog();
    assert.deepEqual(after.entries, before.entries);
    assert.notEqual(after.catalog_revision, before.catalog_revision);
  });

  test('is another one when an instance is retired, whose tools are then gone', async (t) => {
    const { catalog, end } = await catalogOf(t, tools);
    const before = catalog();
    await end('q');
    const after = catalog();
    assert.deepEqual(
      after.entries.map(({ plugin }) => plugin),
      ['p'],
    );
    assert.equal(after.total_count, 1);
    assert.notEqual(after.catalog_revision, before.catalog_revision);
  });
});

test('a project whose folder is not there has no tools, also where a provider has no folder', async (t) => {
  const { catalog } = await catalogOf(t, { p: [{ name: 't', inputSchema: SCHEMA }] });
  assert.equal(catalog().total_count, 1);
  assert.deepEqual(projectCatalog({ id: 'gone', root: null }, []).entries, []);
});
