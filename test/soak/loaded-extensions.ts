import { join } from 'node:path';
import { repositoryRoot } from '@fairlead/testing';

const EXAMPLES = join(repositoryRoot, 'examples/extensions');

/**
 * Extensions that come and go while a soak runs, by name, with their folders: `standup` uses what `noticeboard` provides; the last one has
 * an instance for the host, for each agent and for each session.
 */
export const loadedExtensions: Readonly<Record<string, string>> = {
  noticeboard: join(EXAMPLES, 'noticeboard'),
  standup: join(EXAMPLES, 'standup'),
  'three-scopes': join(import.meta.dirname, 'extensions/three-scopes'),
};
