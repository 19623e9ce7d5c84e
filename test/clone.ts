import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@fairlead/testing';

/** Copies the working tree as a clone would have it: what git tracks or would track, and nothing that was installed. */
export function cloneInto(folder: string): void {
  const root = repositoryRoot;
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  for (const path of new Set(listed.split('\0').filter((line) => line !== ''))) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(root, path), target, { verbatimSymlinks: true });
  }
}
