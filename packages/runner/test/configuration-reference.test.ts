import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { readProjectFiles } from '../src/config/project-files.ts';
import { parseRunnerConfig } from '../src/config/runner-config.ts';

const page = readFileSync(join(repositoryRoot, 'docs/reference/configuration-runner.md'), 'utf8');

function block(language: string): string {
  const found = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page);
  assert.ok(found?.[1] !== undefined);
  return found[1];
}

/** The keys of every table of the page: what stands in the first column. */
const keysOfPage = [...page.matchAll(/^\| `([a-z_]+)`/gm)].map((match) => match[1]);

test('the page’s example uses every key that the page lists, and is accepted without a warning', () => {
  const reading = parseRunnerConfig(block('toml'), 'linux');
  assert.ok(reading.ok);
  assert.deepEqual(reading.warnings, []);
  const used = [...block('toml').matchAll(/^([a-z_]+) =/gm)].map((match) => match[1]);
  assert.deepEqual([...new Set(used)].sort(), [...new Set(keysOfPage)].sort());
});

test('a key that has no effect is named on the page, and warned about', () => {
  const [, listed = ''] = /no effect here:(.*?)\n\n/s.exec(page) ?? [];
  const keys = [...listed.matchAll(/`([a-z_]+)`/g)].map(([, key]) => key ?? '');
  const [ofShell, ofProjects] = [keys.slice(-6, -2), keys.slice(-2)];
  const ofRoot = keys.slice(0, -6);
  assert.deepEqual(ofShell, [
    'init_script',
    'max_persistent_shells',
    'persistent_shell_idle_timeout_secs',
    'environment_mode',
  ]);
  assert.deepEqual(ofProjects, ['allow_patch', 'shell_profile']);
  const text = [...ofRoot.map((key) => `${key} = 1`), '[shell]', ...ofShell.map((key) => `${key} = 1`)].join(
    '\n',
  );
  const reading = parseRunnerConfig(text, 'linux');
  assert.ok(reading.ok);
  assert.deepEqual(new Set(reading.warnings.map(({ message }) => message)), new Set(['has no effect here']));
  assert.equal(reading.warnings.length, ofRoot.length + ofShell.length);
});

test('the page’s project file is accepted without a warning', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'site.toml'), block('text'));
  assert.deepEqual(await readProjectFiles(folder, 'linux'), {
    projects: [{ id: 'site', name: 'The site', kind: 'git', path: '/srv/site' }],
    warnings: [],
  });
});
