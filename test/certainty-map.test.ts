// Who reads the map looks nowhere else for what may call an effect unknown.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '@fairlead/testing';

/** They name the word and decide nothing: descriptions, filters, queries. */
const NAMING = new Set([
  'gateway/src/server/openapi.ts',
  'gateway/src/server/journal-query.ts',
  'gateway/src/http/journal-schemas.ts',
  'cli/src/flags.ts',
  'cli/src/commands/trouble/journal.ts',
  'dispatch/src/journal/call-record.ts',
  'dispatch/src/journal/journal-pruner.ts',
]);

test('every place that calls a plugin’s effect unknown stands on the map', () => {
  const text = readFileSync(join(repositoryRoot, 'ARCHITECTURE.md'), 'utf8');
  const from = text.indexOf('## Where certainty is decided');
  const section = text.slice(from, text.indexOf('\n## ', from + 1));
  const deciding = ['cli', 'dispatch', 'gateway', 'protocol', 'runner'].flatMap((name) =>
    readdirSync(join(repositoryRoot, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
      .map((file) => `${name}/src/${file}`)
      .filter((file) => file.endsWith('.ts') && !NAMING.has(file) && decides(file)),
  );
  assert.ok(deciding.length > 10, deciding.join());
  const absent = deciding.filter((file) => !new RegExp(`[\`/]${basename(file)}\``).test(section));
  assert.deepEqual(absent, []);
});

/** Where the word is given, not compared with. */
function decides(file: string): boolean {
  const lines = readFileSync(join(repositoryRoot, 'packages', file), 'utf8').split('\n');
  return lines.some((line) => !/^\s*(\/\/|\/?\*)/.test(line) && /(?<![!=]== )'outcome_unknown'/.test(line));
}

test('the map names files that there are', () => {
  const text = readFileSync(join(repositoryRoot, 'ARCHITECTURE.md'), 'utf8');
  const section = text.slice(text.indexOf('## Where certainty is decided'), text.indexOf('## Rules'));
  const files = new Set(
    ['base', 'cli', 'dispatch', 'extension', 'gateway', 'mcp', 'protocol', 'runner'].flatMap((name) =>
      readdirSync(join(repositoryRoot, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' }).map(
        (file) => basename(file),
      ),
    ),
  );
  const named = [...section.matchAll(/`(?:[\w/-]+\/)?([\w-]+\.ts)`/g)].map(([, file]) => file ?? '');
  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter((file) => !files.has(file)),
    [],
  );
});
