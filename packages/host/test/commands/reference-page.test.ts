import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '@fairlead/testing';
import { commandTable } from '../../src/commands/command-table.ts';
import { namesElsewhere } from '../../src/commands/elsewhere.ts';
import { commandBounds } from '../../src/limits.ts';

const page = readFileSync(join(repositoryRoot, 'docs/reference/commands.md'), 'utf8');

test('docs/reference/commands.md has every form with what it needs, and no other', () => {
  const written = [...page.matchAll(/^\| `\/.*\|$/gm)].map(([row]) => row.replace(/ +/g, ' '));
  const rows = commandTable.flatMap(({ forms }) =>
    forms.map(({ usage, scope, about }) => {
      const typed = usage()
        .split('\n')
        .map((one) => `\`${one.replaceAll('|', '\\|')}\``);
      return `| ${typed.join('<br>')} | \`${scope}\` | ${about} |`;
    }),
  );
  assert.deepEqual(written, rows);
});

test('docs/reference/commands.md names every other word and every name that is kept', () => {
  for (const { name, aliases } of commandTable)
    for (const alias of aliases) assert.ok(page.includes(`\`/${alias}\``), `${alias} of ${name}`);
  const [, kept] = /## Names that are kept\n([\s\S]*)So do/.exec(page) ?? [];
  const named = [...(kept ?? '').matchAll(/`([a-z]+)`/g)].map(([, name]) => name);
  assert.deepEqual(named, namesElsewhere.toSorted());
});

test('docs/reference/commands.md says the bounds that are kept', () => {
  assert.equal(commandBounds.line, 8192);
  assert.match(page, /8,192 characters/);
  assert.deepEqual([commandBounds.looked, commandBounds.listed], [1000, 200]);
  assert.match(page, /1,000 sessions that were used last, and show 200/);
  assert.equal(commandBounds.approvalPrefix, 8);
  assert.match(page, /beginning of eight letters/);
});
