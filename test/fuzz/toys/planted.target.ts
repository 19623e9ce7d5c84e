import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '@fairlead/testing';
import { edited } from '../../faults/plant-mutant.ts';
import { loadTarget } from '../targets/index.ts';

// A real target over a product with a fault in it. The query of this module's own URL says which: `target`, and the edit as `file`,
// `from` and `to`. It takes the place of the file while that is loaded, in this thread alone.
const query = new URL(import.meta.url).searchParams;
const [file, from, to] = [part('file'), part('from'), part('to')];
const path = join(repositoryRoot, file);
const source = edited(readFileSync(path, 'utf8'), { file, from, to });
registerHooks({
  load: (url, context, next) =>
    url === pathToFileURL(path).href
      ? { format: 'module-typescript', source, shortCircuit: true }
      : next(url, context),
});

function part(name: string): string {
  const value = query.get(name);
  if (value === null) throw new Error(`the query names no ${name}`);
  return value;
}

export const { target } = await loadTarget(part('target'));
