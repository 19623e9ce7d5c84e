import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '@fairlead/testing';
import { clauses } from '../src/clauses/clauses.ts';
import { runnerAnswerText } from '../src/hostile/scenario-list.ts';
import { hostileScenarios } from '../src/hostile/scenarios.ts';

const page = readFileSync(join(repositoryRoot, 'docs/reference/plugin-conformance.md'), 'utf8');

/** The cells of the rows that begin with a name in backticks, below a heading. */
function rowsBelow(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

test('the page lists every clause with its level, its words and its heading, in order', () => {
  const written = clauses.map(({ id, level, says, heading, page: path }) => {
    const anchor = heading.toLowerCase().replaceAll('/', '').replaceAll(' ', '-');
    return [`\`${id}\``, level, says, `[${heading}](${path.replace('docs/reference/', '')}#${anchor})`];
  });
  assert.deepEqual(rowsBelow('Clauses'), written);
});

test('every clause names a heading that its page has', () => {
  for (const { id, page: path, heading } of clauses) {
    const text = readFileSync(join(repositoryRoot, path), 'utf8');
    assert.match(text, new RegExp(`^##+ ${heading.replaceAll(/[/.]/g, '\\$&')}$`, 'm'), id);
  }
});

test('ids of clauses are single, and stand in the order of the wire', () => {
  const ids = clauses.map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)]);
  for (const id of ids)
    assert.match(
      id,
      /^wire\.(framing|request|response|initialize|list|call|life|stderr|manners)\.[a-z0-9-]+$/,
    );
});

test('the page lists every scenario with what a Runner answers and the clause that it breaks, in order', () => {
  const written = hostileScenarios.map(({ name, does, clause, runner }) => [
    `\`${name}\``,
    `\`${runnerAnswerText(runner)}\``,
    clause === null ? '' : `\`${clause}\``,
    does,
  ]);
  assert.deepEqual(rowsBelow('Hostile scenarios'), written);
});
