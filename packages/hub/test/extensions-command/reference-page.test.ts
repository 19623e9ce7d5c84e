import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '@fairlead/testing';
import { unknownSubCommand } from '../../src/extensions-command/usage.ts';
import { activationLimits, commandLimits, settingsLimits } from '../../src/limits.ts';

const page = readFileSync(join(repositoryRoot, 'docs/reference/active-set.md'), 'utf8');

test('docs/reference/active-set.md has every sub-command as it is typed', () => {
  const [, shown] = /## The command\n[\s\S]*?```text\n([\s\S]*?)\n```/.exec(page) ?? [];
  const answer = unknownSubCommand('nothing');
  assert.ok('error' in answer);
  assert.equal(shown, answer.error.usage);
});

test('docs/reference/active-set.md says the bounds that are kept', () => {
  assert.equal(activationLimits.maxWholeRecords, 10_000);
  assert.match(page, /more than 10,000\s+records/);
  assert.equal(activationLimits.maxMissing, 1000);
  assert.match(page, /first 1,000/);
  assert.equal(settingsLimits.minMaskedPart, 4);
  assert.match(page, /fewer than four characters/);
  assert.equal(commandLimits.maxLine, 120);
  assert.match(page, /in at most 120 characters/);
  assert.equal(activationLimits.historyPage, 50);
  assert.match(page, /newest first, 50 switches/);
});
