import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { repositoryRoot } from '@fairlead/testing';
import type { Edit } from './mutant-list.ts';

/** What of the repository a copy has of its own; everything else it links to. */
const COPIED = ['packages', 'plugins', 'test', 'package.json'];

/** Copies the tree into an empty folder, so that its packages import each other there, and plants a lie in it. */
export function plantMutant(edits: readonly Edit[], folder: string): void {
  for (const name of COPIED) cpSync(join(repositoryRoot, name), join(folder, name), { recursive: true });
  const [from, to] = [join(repositoryRoot, 'node_modules'), join(folder, 'node_modules')];
  const scope = '@fairlead';
  mkdirSync(join(to, scope), { recursive: true });
  for (const name of readdirSync(from))
    if (name !== scope && name !== '.cache') symlinkSync(join(from, name), join(to, name));
  for (const name of readdirSync(join(from, scope))) {
    const place = relative(repositoryRoot, realpathSync(join(from, scope, name)));
    symlinkSync(join(folder, place), join(to, scope, name));
  }
  for (const edit of edits) {
    const path = join(folder, edit.file);
    writeFileSync(path, edited(readFileSync(path, 'utf8'), edit));
  }
}

/** The text with the edit; throws where that cannot be made. */
export function edited(text: string, { file, from, to }: Edit): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`);
  return parts.join(to);
}
