import { join } from 'node:path';
import { repositoryRoot } from '@fairlead/testing';
import type { Action } from './action.ts';
import { ask, demand } from './admin-route.ts';

const ROUTE = '/api/admin/extensions';
const NAME = 'noticeboard';
const FOLDER = join(repositoryRoot, 'examples/extensions', NAME);

/** Extensions that come and go, each in a worker of its own. */
export const extensions: readonly Action[] = [
  {
    name: 'extension loaded, reloaded and unloaded',
    weight: 0.6,
    async run(world) {
      // A name is loaded once: another lane waits for its turn.
      await world.inTurn(async () => {
        const loaded = await ask(world, { method: 'POST', path: ROUTE, body: { path: FOLDER } });
        demand('loading it', loaded.status, 200);
        const one = `${ROUTE}/${NAME}`;
        demand('reloading it', (await ask(world, { method: 'POST', path: `${one}/reload` })).status, 200);
        demand('unloading it', (await ask(world, { method: 'DELETE', path: one })).status, 200);
      });
    },
  },
  {
    name: 'extensions listed',
    weight: 1,
    async run(world) {
      demand('listing them', (await ask(world, { method: 'GET', path: ROUTE })).status, 200);
    },
  },
];
