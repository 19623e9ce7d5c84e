import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { noteText } from '../src/config/config-table.ts';
import { readProjectFiles } from '../src/config/project-files.ts';

async function read(folder: string) {
  const { projects, warnings } = await readProjectFiles(folder, 'linux');
  return { projects, warnings: warnings.map(({ file, note }) => `${file}: ${noteText(note)}`) };
}

test('each file is one project; a file that is wrong is left out with its line', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('b.toml', 'id = "site"\npath = "/srv/site"\nname = "The site"\nkind = "git"\nallow_patch = true');
  write('a.toml', 'id = "app"\npath = "/srv/app"');
  write('c.toml', 'id = "app"\npath = "/srv/other"');
  write('d.toml', 'id = "rel"\npath = "relative"');
  write('e.toml', 'id = "typo"\npath = "/srv/typo"\nkidn = "git"');
  write('f.toml', 'id = ');
  write('g.txt', 'no project');
  mkdirSync(join(folder, 'h.toml'));
  assert.deepEqual(await read(folder), {
    projects: [
      { id: 'app', name: 'app', kind: 'folder', path: '/srv/app' },
      { id: 'site', name: 'The site', kind: 'git', path: '/srv/site' },
      { id: 'typo', name: 'typo', kind: 'folder', path: '/srv/typo' },
    ],
    warnings: [
      'b.toml: line 5: allow_patch has no effect here',
      'c.toml: id is used by another project file before it',
      'd.toml: line 2: path must be an absolute path',
      'e.toml: line 3: kidn is not a known key; it is ignored (did you mean kind?)',
      'f.toml: the file is left out: it is not valid TOML',
      'h.toml: the file is left out: it is not an ordinary file',
    ],
  });
});

test('the sixty-fifth project is left out', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  for (let n = 100; n < 165; n += 1) writeFileSync(join(folder, `${n}.toml`), `id = "p${n}"\npath = "/p"`);
  const { projects, warnings } = await read(folder);
  assert.equal(projects.length, 64);
  assert.deepEqual(warnings, ['164.toml: the file is left out: 64 are the most']);
});

test('a folder that is not there has no projects and one warning', async (t) => {
  hygiene(t);
  assert.deepEqual(await read(join(temporaryFolder(t), 'absent')), {
    projects: [],
    warnings: [': project_registry_dir is not a folder that can be read'],
  });
});
