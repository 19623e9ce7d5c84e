import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '@fairlead/testing';
import { mutants } from './mutant-list.ts';
import { edited } from './plant-mutant.ts';

test('there are at least ten lies, and each can still be planted: what it replaces stands in its file once', () => {
  assert.ok(mutants.length >= 10);
  assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
  for (const { name, edits } of mutants) {
    for (const edit of edits) {
      const text = readFileSync(join(repositoryRoot, edit.file), 'utf8');
      assert.doesNotThrow(() => edited(text, edit), `the lie ${name}`);
      assert.notEqual(edited(text, edit), text);
    }
  }
});

test('a text that stands in a file twice, or not at all, is not replaced', () => {
  const edit = { file: 'a.ts', from: 'x', to: 'y' };
  assert.equal(edited('1 x 2', edit), '1 y 2');
  assert.throws(() => edited('x x', edit), /a\.ts has 2 times: x/);
  assert.throws(() => edited('none', edit), /a\.ts has 0 times: x/);
});
