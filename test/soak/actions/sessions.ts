import type { SoakWorld } from '../soak-world.ts';
import type { Action } from './action.ts';
import { ask, demand } from './admin-route.ts';

/** A session of the scripted agent, in a folder that all of them share. */
async function made(world: SoakWorld): Promise<string> {
  const body = { agents: ['soak'], workspace: world.workspace };
  const { status, output } = await ask(world, { method: 'POST', path: '/api/sessions', body });
  demand('making a session', status, 200);
  return String(output?.['id']);
}

/** Says something there, and waits for the answer. */
async function told(world: SoakWorld, session: string): Promise<void> {
  const path = `/api/sessions/${session}/run`;
  const { status, output } = await ask(world, { method: 'POST', path, body: { text: 'Go on.' } });
  demand('saying something', status, 200);
  if (output?.['status'] !== 'completed') throw new Error(`a turn ended as ${String(output?.['status'])}`);
}

/** Sessions that are opened, told something, and closed or left: a host must let go of both. */
export const sessions: readonly Action[] = [
  {
    name: 'session made, told something, and left',
    weight: 0.4,
    async run(world) {
      const session = await made(world);
      await told(world, session);
      world.leave(session);
    },
  },
  {
    name: 'session made, told something, and closed',
    weight: 0.2,
    async run(world) {
      const session = await made(world);
      await told(world, session);
      const path = `/api/sessions/${session}`;
      demand('closing it', (await ask(world, { method: 'PATCH', path, body: { closed: true } })).status, 200);
      const read = await ask(world, { method: 'GET', path: `${path}/entries` });
      demand('reading what was closed', read.status, 200);
    },
  },
  {
    name: 'session that was left, told something',
    weight: 0.2,
    async run(world, { random }) {
      // What another lane has left by then, or nobody yet.
      const session = world.left.length === 0 ? await made(world) : random.pick(world.left);
      await told(world, session);
    },
  },
];
