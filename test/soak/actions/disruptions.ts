import { waitFor } from '@fairlead/testing';
import { settled } from '../outcome.ts';
import type { SoakWorld } from '../soak-world.ts';
import type { Action } from './action.ts';

/** The Runner dials again after a second, then after two; a plugin starts within one. A machine may have much else to do. */
const BACK_LIMIT_MS = 60_000;

type Reloaded = Pick<SoakWorld, 'plugin' | 'binding' | 'took' | 'tally'>;

/**
 * Reloads the plugins of a Runner, and rejects when none of it comes back: a reload that is refused because another one goes on, or
 * because a link is cut, is tried again; one that says that it was done is not, and a call has to succeed then.
 */
export async function reloadPlugins(
  world: Reloaded,
  {
    lane,
    runner,
    limitMs = BACK_LIMIT_MS,
  }: { readonly lane: number; readonly runner: string; readonly limitMs?: number },
): Promise<void> {
  const within = { timeoutMs: limitMs, intervalMs: 500 };
  await waitFor(
    async () => settled(world.tally, 'reload', await world.plugin(lane, { action: 'reload', runner })),
    { what: `a reload on ${runner}`, ...within },
  );
  const target = { runner, plugin: 'counting', tool: 'count' };
  await waitFor(
    async () => {
      const binding = await world.binding(lane, target);
      if (binding === null) return false;
      const called = await world.plugin(lane, { action: 'call', binding, arguments: {} });
      world.took(target, called);
      return called.success;
    },
    { what: `a call on ${runner} to succeed after a reload`, ...within },
  );
}

export const disruptions: readonly Action[] = [
  {
    name: 'plugin reload',
    weight: 0.4,
    run: (world, { lane }) => reloadPlugins(world, { lane, runner: 'near' }),
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
      // That it ended is what was asked for.
      if (crashed.error?.code !== 'plugin_eof') settled(world.tally, 'crash', crashed);
      // A plugin that crashed stays down until somebody reloads it.
      await reloadPlugins(world, { lane, runner: target.runner });
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
        { what: 'the Runner to be back', timeoutMs: BACK_LIMIT_MS, intervalMs: 250 },
      );
    },
  },
];
