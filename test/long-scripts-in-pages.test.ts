import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repositoryRoot } from '@fairlead/testing';
import { readPages } from './docs/markdown.ts';
import { readOptions } from './faults/options.ts';
import { readFuzzCommand } from './fuzz/fuzz-options.ts';
import { parseSoakCommand } from './soak/soak-options.ts';

/** The scripts that nobody runs for a page because they take minutes. Each says what is wrong with its command line, or null. */
const readers: Readonly<Record<string, (args: readonly string[]) => string | null>> = {
  faults(args) {
    const options = readOptions(args);
    return 'usage' in options ? options.usage : null;
  },
  fuzz(args) {
    // In a page NAME stands for one of them.
    const command = readFuzzCommand(args, ['NAME'], () => 1);
    return typeof command === 'string' ? command : null;
  },
  soak(args) {
    const parsed = parseSoakCommand(args, () => 1);
    return parsed.ok ? null : parsed.message;
  },
};

test('a long script that a page names in a sentence runs as it stands there', () => {
  const refused: string[] = [];
  let found = 0;
  for (const { path, text } of readPages(repositoryRoot))
    for (const [named, script = '', args = ''] of text.matchAll(/`npm run (\w+)(?: -- ([^`]+))?`/g)) {
      const reader = readers[script];
      if (reader === undefined) continue;
      found += 1;
      const fault = reader(args.split(' ').filter((arg) => arg !== ''));
      if (fault !== null) refused.push(`${path}: ${named}: ${fault}`);
    }
  assert.deepEqual(refused, []);
  assert.ok(found >= 3);
});
