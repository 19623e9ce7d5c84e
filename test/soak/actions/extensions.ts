import { loadedExtensions } from '../loaded-extensions.ts';
import type { SoakWorld } from '../soak-world.ts';
import type { Action } from './action.ts';
import { ask, demand } from './admin-route.ts';
import { closeSession, makeSession, tell, type } from './conversation.ts';

const ROUTE = '/api/admin/extensions';

async function load(world: SoakWorld, name: string): Promise<void> {
  const loaded = await ask(world, {
    method: 'POST',
    path: ROUTE,
    body: { path: loadedExtensions[name] ?? '' },
  });
  demand(`loading ${name}`, loaded, 200);
}

async function reload(world: SoakWorld, name: string): Promise<void> {
  const path = `${ROUTE}/${name}/reload`;
  demand(`reloading ${name}`, await ask(world, { method: 'POST', path }), 200);
}

async function unload(world: SoakWorld, name: string): Promise<void> {
  const path = `${ROUTE}/${name}`;
  demand(`unloading ${name}`, await ask(world, { method: 'DELETE', path }), 200);
}

/** Extensions that come and go, each in a worker of its own. */
export const extensions: readonly Action[] = [
  {
    name: 'extension loaded, reloaded and unloaded',
    weight: 0.4,
    async run(world) {
      // A name is loaded once: another lane waits for its turn.
      await world.inTurn('extensions', async () => {
        await load(world, 'noticeboard');
        await reload(world, 'noticeboard');
        await unload(world, 'noticeboard');
      });
    },
  },
  {
    name: 'extensions of every scope loaded, used, switched, reloaded and unloaded',
    weight: 0.1,
    async run(world) {
      await world.inTurn('extensions', async () => {
        const names = Object.keys(loadedExtensions);
        for (const name of names) await load(world, name);
        const session = await makeSession(world, 'visitor');
        await tell(world, session, 'visitor');
        await type(world, session, '/extensions remove three-scopes');
        await type(world, session, '/extensions add three-scopes');
        for (const name of names) await reload(world, name);
        await tell(world, session, 'visitor');
        // One session is closed while they run, the other one outlives them.
        const other = await makeSession(world, 'visitor');
        await tell(world, other, 'visitor');
        await closeSession(world, session);
        for (const name of names.toReversed()) await unload(world, name);
      });
    },
  },
  {
    name: 'extensions listed',
    weight: 1,
    async run(world) {
      demand('listing them', await ask(world, { method: 'GET', path: ROUTE }), 200);
    },
  },
];
