import { randomUUID } from 'node:crypto';
import { waitFor } from '@fairlead/testing';
import { FIRED_ONCE, FIRST_ENTRY, LAST_STEP, MESSAGE, TURN, together } from '../kept-rows.ts';
import type { SoakWorld } from '../soak-world.ts';
import type { Action } from './action.ts';
import { ask, demand } from './admin-route.ts';
import { anySession, spoke, type } from './conversation.ts';

const DUE_IN_MS = 1_000;
const FIRED_LIMIT_MS = 60_000;
const FIRED = together(FIRED_ONCE, MESSAGE, TURN, LAST_STEP);

/** Plans something for a moment that is near, and waits until it was done. */
async function fires(world: SoakWorld, session: string, more: string): Promise<void> {
  const id = `s-${randomUUID()}`;
  const at = new Date(Date.now() + DUE_IN_MS).toISOString();
  await type(world, session, `/schedule add ${id} "at ${at}" ${more}Look around.`);
  let told = '';
  await waitFor(
    async () => {
      told = String((await type(world, session, `/schedule history ${id}`))['text']);
      return /fired|missed|skipped|unknown/.test(told);
    },
    { what: 'a schedule to fire', timeoutMs: FIRED_LIMIT_MS, intervalMs: 200 },
  );
  if (!/ fired completed /.test(told)) throw new Error(`a schedule: ${told}`);
  world.tally.keeps(FIRED);
}

/** What agents have planned. */
export const schedules: readonly Action[] = [
  {
    name: 'schedule that fires in a fresh session',
    weight: 0.1,
    async run(world, { random }) {
      await fires(world, await anySession(world, 'soak', random), '--fresh ');
      world.tally.keeps(together(world.sessionRows, FIRST_ENTRY));
    },
  },
  {
    name: 'schedule that fires in a named session',
    weight: 0.1,
    async run(world, { random }) {
      const session = await anySession(world, 'soak', random);
      await fires(world, session, '');
      spoke(world, session);
    },
  },
  {
    name: 'schedule planned, switched and taken away',
    weight: 0.1,
    async run(world, { random }) {
      const session = await anySession(world, 'soak', random);
      const id = `s-${randomUUID()}`;
      for (const line of [`add ${id} "0 9 * * 1-5" Look around.`, `off ${id}`, `on ${id}`, `remove ${id}`])
        await type(world, session, `/schedule ${line}`);
      // Each of them is a newer row.
      world.tally.keeps({ operations: 4 });
      demand('schedules', await ask(world, { method: 'GET', path: '/api/schedules' }), 200);
    },
  },
];
