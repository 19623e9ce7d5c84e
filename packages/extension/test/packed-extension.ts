import { join } from 'node:path';
import { type AuthorProject, authorProject, type CompilerOptions } from '@fairlead/testing';

/** What a project with Node's types says; their own declarations are not ours to check. */
export const NODE_OPTIONS: CompilerOptions = {
  lib: ['ES2022', 'ESNext.Disposable'],
  types: ['node'],
  skipLibCheck: true,
};

/** An author's project with the packed package. Without Node's own types: signals and events come from the DOM's here. */
export function extensionProject(): AuthorProject {
  return authorProject({
    name: 'extension',
    fixtures: join(import.meta.dirname, 'fixtures/authors'),
    modules: ['@types/node', 'undici-types', 'zod'],
    options: { lib: ['ES2022', 'DOM'] },
  });
}
