import { SUMMARY } from '../kept-rows.ts';
import type { Action } from './action.ts';
import { ask, demand } from './admin-route.ts';
import { anySession, closeSession, makeSession, tell, type } from './conversation.ts';

/** Sessions that are opened, told something, and closed or left: a host must let go of both. */
export const sessions: readonly Action[] = [
  {
    name: 'session made, told something, and left',
    weight: 0.4,
    async run(world) {
      const session = await makeSession(world, 'soak');
      await tell(world, session, 'soak');
      world.leave('soak', session);
    },
  },
  {
    name: 'session made, told something, and closed',
    weight: 0.2,
    async run(world) {
      const session = await makeSession(world, 'soak');
      await tell(world, session, 'soak');
      await closeSession(world, session);
      const read = await ask(world, { method: 'GET', path: `/api/sessions/${session}/entries` });
      demand('reading what was closed', read, 200);
    },
  },
  {
    name: 'session that was left, told something',
    weight: 0.2,
    async run(world, { random }) {
      await tell(world, await anySession(world, 'soak', random), 'soak');
    },
  },
  {
    name: 'session summed up, and told something after it',
    weight: 0.1,
    async run(world) {
      const session = await makeSession(world, 'soak');
      for (const _ of ['one turn', 'and another']) await tell(world, session, 'soak');
      await type(world, session, '/compact');
      world.tally.keeps(SUMMARY);
      await tell(world, session, 'soak');
      await closeSession(world, session);
    },
  },
  {
    name: 'sessions listed',
    weight: 0.3,
    async run(world) {
      demand('listing them', await ask(world, { method: 'GET', path: '/api/sessions?limit=200' }), 200);
    },
  },
];
