// A catalog shows exactly the providers whose canonical cwd is the project's canonical folder, however both are spelled.
import assert from 'node:assert/strict';
import {
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';
import { systemRandom } from '@fairlead/base';
import { providerLimits } from '@fairlead/protocol';
import { hygiene, manualClock, type TestLike, temporaryFolder } from '@fairlead/testing';
import { readRunnerConfig } from '../src/config/read-runner-config.ts';
import { readProjects } from '../src/configuration/projects.ts';
import { RunnerConfiguration } from '../src/configuration/runner-configuration.ts';
import { EnvironmentSnapshots } from '../src/provider/environment-snapshots.ts';
import { ProviderSet } from '../src/providers/provider-set.ts';
import { answeringTree } from './answering-tree.ts';

type Row = {
  readonly name: string;
  readonly what: string;
  /** A folder with the folders `in` and, beside it, one of a longer name. */
  readonly folder: string;
  readonly path: string;
  readonly cwd?: string;
  /** Whether the provider with this cwd belongs to the project with this path. */
  readonly shown: boolean;
};

const rows: readonly Row[] = JSON.parse(
  readFileSync(new URL('./fixtures/odd-projects.json', import.meta.url), 'utf8'),
);

test('the table has 200 projects, each name once, and every way of writing a folder', () => {
  assert.equal(rows.length, 200);
  assert.equal(new Set(rows.map(({ name }) => name)).size, 200);
  assert.deepEqual(
    [...new Set(rows.map(({ what }) => what))].sort(),
    [
      'a cwd that is not there',
      'a dot in between',
      'a link above',
      'a link in a circle',
      'a link to a link',
      'a link to another folder',
      'a longer name',
      'a path that is not there',
      'a slash at the end',
      'another case',
      'another normal form',
      'both through links',
      'cwd through a link',
      'no cwd',
      'out and in again',
      'path through a link',
      'same spelling',
      'slashes at the end',
      'slashes in between',
      'the folder above',
      'the folder below',
      'the same folder twice',
      'up from a link, as the kernel goes',
      'up from a link, as the text says',
    ].sort(),
  );
});

for (const [part, first] of Array.from({ length: 25 }, (_, index) => [index + 1, index * 8] as const)) {
  test(`part ${part} of 25 of the table`, async (t) => {
    hygiene(t);
    const here = rows.slice(first, first + providerLimits.maxProviders);
    const runner = await runnerOf(t, here, first);
    const sameFolder = (path: string, cwd: string) =>
      identity(path) !== null && identity(path) === identity(cwd);
    for (const [index, row] of here.entries()) {
      const expected = here
        .flatMap((other, at) =>
          other.cwd !== undefined && sameFolder(runner.at(row.path), runner.at(other.cwd)) ? [`p${at}`] : [],
        )
        .sort();
      assert.deepEqual(runner.pluginsOf(row.name), expected, `${row.name}: ${row.what}`);
      if (runner.foldsNames && row.what.startsWith('another ')) continue;
      assert.equal(expected.includes(`p${index}`), row.shown, `${row.name}: ${row.what}`);
    }
  });
}

test('a link that is moved changes nothing until the provider is started again and the project file read again', async (t) => {
  hygiene(t);
  const [row] = rows.filter(({ what }) => what === 'cwd through a link');
  assert.ok(row !== undefined);
  const runner = await runnerOf(t, [{ ...row, path: row.folder, cwd: 'link 0' }], 0);
  assert.deepEqual(runner.pluginsOf(row.name), ['p0']);
  runner.relink('link 0', `${row.folder}+`);
  // The process runs where it was started.
  assert.deepEqual(runner.pluginsOf(row.name), ['p0']);
  const before = runner.revision(row.name);
  await runner.reload();
  assert.deepEqual(runner.pluginsOf(row.name), []);
  assert.notEqual(runner.revision(row.name), before);
});

/** Device and inode: two folders are one where these are, which no spelling can hide. */
function identity(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

async function runnerOf(t: TestLike, here: readonly Row[], first: number) {
  const base = realpathSync(temporaryFolder(t));
  const at = (path: string) => `${base}/${path}`;
  const relink = (link: string, target: string) => {
    const aside = `${at(link)} new`;
    symlinkSync(at(target), aside);
    renameSync(aside, at(link));
  };
  const foldsNames = layOut(at, here, first);
  mkdirSync(at('project files'));
  for (const [index, { name, path }] of here.entries()) {
    const lines = [
      `id = ${JSON.stringify(name)}`,
      `name = ${JSON.stringify(name)}`,
      `path = ${JSON.stringify(at(path))}`,
    ];
    writeFileSync(at(`project files/${index}.toml`), lines.join('\n'));
  }
  const providers = here.map(({ cwd }, index) =>
    [
      '[[plugins.providers]]',
      `id = "p${index}"`,
      'name = "P"',
      'command = "p"',
      cwd === undefined ? '' : `cwd = ${JSON.stringify(at(cwd))}`,
    ].join('\n'),
  );
  const file = at('runner.toml');
  writeFileSync(file, ['project_registry_dir = "project files"', ...providers].join('\n\n'));

  const where = { configPath: file, platform: process.platform, log: () => {} };
  const reading = await readRunnerConfig(file);
  assert.ok(reading.ok, JSON.stringify(reading));
  assert.deepEqual(reading.warnings, []);
  const set = providerSet(file);
  t.after(() => set.stop());
  await set.start(reading.config);
  const { projects } = await readProjects(reading.config, where);
  assert.equal(projects.length, here.length);
  const configuration = new RunnerConfiguration({
    providers: set,
    projects,
    readProjects: (config) => readProjects(config, where),
    apply: () => {},
  });
  const catalog = (project: string) => {
    const outcome = configuration.catalog(project);
    assert.ok('value' in outcome && outcome.value.kind === 'project_catalog');
    return outcome.value;
  };
  return {
    at,
    relink,
    foldsNames,
    pluginsOf: (project: string) => catalog(project).entries.map(({ plugin }) => plugin),
    revision: (project: string) => catalog(project).catalog_revision,
    reload: () =>
      new Promise<void>((resolve) => {
        set.reload(() => resolve());
      }),
  };
}

/** Makes the folders and links of the rows; true where the file system takes two spellings for one name. */
function layOut(at: (path: string) => string, here: readonly Row[], first: number): boolean {
  let foldsNames = false;
  for (const [index, row] of here.entries()) {
    const number = first + index;
    const { folder } = row;
    for (const made of [folder, `${folder}/in`, `${folder}+`, `${folder}+/in`, `links ${number}`])
      mkdirSync(at(made), { recursive: true });
    if (row.what.startsWith('another ') && row.cwd !== undefined) {
      foldsNames = identity(at(row.cwd)) !== null;
      mkdirSync(at(row.cwd), { recursive: true });
    }
    symlinkSync(at(folder), at(`link ${number}`));
    symlinkSync(`link ${number}`, at(`link to link ${number}`));
    symlinkSync(`../link ${number}`, at(`links ${number}/to it`));
    symlinkSync(`${folder}/in`, at(`inner ${number}`));
    symlinkSync(at(`${folder}+`), at(`wrong ${number}`));
    symlinkSync(`circle ${number}`, at(`circle ${number}`));
  }
  return foldsNames;
}

/** Providers whose programs are played by the test: what counts here is where they are started. */
function providerSet(file: string): ProviderSet {
  const clock = manualClock();
  const random = systemRandom();
  const watchdog = { token: 't', watch: () => {}, forget: () => {} };
  return new ProviderSet({
    services: {
      clock,
      random,
      platform: process.platform,
      log: () => {},
      cwd: '/',
      watchdog,
      resolveExecutable: async () => ({ ok: true, path: '/p' }),
      spawnTree: async () => ({ ok: true, tree: answeringTree() }),
    },
    readConfig: () => readRunnerConfig(file),
    environmentsOf: ({ shell }, signal) =>
      new EnvironmentSnapshots({
        shell,
        base: {},
        sensitive: [],
        cwd: '/',
        platform: process.platform,
        clock,
        random,
        watchdog,
        signal,
      }),
  });
}
