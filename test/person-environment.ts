import { delimiter, join } from 'node:path';
import { repositoryRoot } from '@fairlead/testing';

/** The PATH a person has: without the folders that npm puts in front when these tests run under it. */
export function personPath(): string {
  const root = repositoryRoot;
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(
      (folder) =>
        !folder.startsWith(join(root, 'node_modules')) &&
        !folder.includes('.node24') &&
        !folder.includes('node-gyp-bin'),
    )
    .join(delimiter);
}

/** The environment of a fresh shell: nothing of npm's or of the test runner's, but the mark by which tests find their processes. */
export function personEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (entry[0] === 'FAIRLEAD_TEST_TOKEN' ||
        !/^(npm_|FAIRLEAD_|INIT_CWD$|NODE_(V8_|TEST_|DISABLE_|OPTIONS$))/.test(entry[0])),
  );
  return { ...Object.fromEntries(kept), PATH: personPath(), ...extra };
}
