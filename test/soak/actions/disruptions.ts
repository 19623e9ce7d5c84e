import { waitFor } from '@fairlead/testing';
import { settled } from '../outcome.ts';
import type { Action } from './action.ts';

/** The Runner dials again after a second, then after two. */
const RECONNECT_LIMIT_MS = 60_000;

export const disruptions: readonly Action[] = [
  {
    name: 'plugin reload',
    weight: 0.4,
    async run(world, { lane }) {
      settled(world.tally, 'reload', await world.plugin(lane, { action: 'reload', runner: 'near' }));
    },
  },
  {
    name: 'plugin crash',
    weight: 0.6,
    async run(world, { random, lane }) {
      const target = { runner: random.pick(['near', 'far']), plugin: 'counting', tool: 'crash' };
      const binding = await world.binding(lane, target);
      if (binding === null) return;
      const crashed = await world.plugin(lane, { action: 'call', binding, arguments: {} });
      world.forget(target);
      if (crashed.success) throw new Error('a plugin that ended without an answer has one');
      settled(world.tally, 'crash', crashed);
      // A plugin that crashed stays down until somebody reloads it.
      const { runner } = target;
      settled(world.tally, 'reload', await world.plugin(lane, { action: 'reload', runner }));
    },
  },
  {
    name: 'Runner reconnects',
    weight: 0.15,
    async run(world, { lane }) {
      const before = world.relay.links.length;
      world.relay.link.cut();
      await waitFor(
        async () => {
          if (world.relay.links.length <= before) return false;
          const listed = await world.plugin(lane, { action: 'list', runner: 'far' });
          return listed.success;
        },
        { what: 'the Runner to be back', timeoutMs: RECONNECT_LIMIT_MS, intervalMs: 250 },
      );
    },
  },
];
