import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '@fairlead/testing';
import type { Action } from './actions/action.ts';
import { Gate } from './gate.ts';
import type { SoakWorld } from './soak-world.ts';

export type Load = {
  readonly actions: readonly Action[];
  /** How many go on at once. */
  readonly lanes: number;
  /** How many begin in a second, at most: a soak is to find what grows, not what is slow. */
  readonly perSecond: number;
  readonly random: SeededRandom;
  /** The time is over: what was done once at least is enough. */
  readonly over: AbortSignal;
  /** Ends it at once. */
  readonly signal: AbortSignal;
};

/**
 * Does every action once, however long that takes, then chooses by weight until the time is over and what is under way has ended. The
 * same seed chooses the same actions; which of them meet is up to the machine.
 */
export async function runLoad(world: SoakWorld, load: Load): Promise<void> {
  const { actions, lanes, perSecond, random, over, signal } = load;
  const first = [...actions];
  const next = () => first.shift() ?? byWeight(actions, random);
  const startedMs = performance.now();
  let begun = 0;
  const gate = new Gate();
  const lane = async (number: number) => {
    while (!signal.aborted && (first.length > 0 || !over.aborted)) {
      const action = next();
      begun += 1;
      const dueMs = startedMs + (begun * 1000) / perSecond - performance.now();
      if (dueMs > 0) await pause(dueMs, undefined, { signal: over }).catch(() => {});
      const once = () => doOnce(world, action, { random, lane: number });
      await (action.alone === true ? gate.alone(once) : gate.beside(once));
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
}

async function doOnce(
  world: SoakWorld,
  action: Action,
  given: { readonly random: SeededRandom; readonly lane: number },
): Promise<void> {
  try {
    await action.run(world, given);
  } catch (error) {
    world.tally.fault(`${action.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
  world.tally.did(action.name);
}

function byWeight(actions: readonly Action[], random: SeededRandom): Action {
  const parts = actions.map(({ weight }) => Math.round(weight * 100));
  let left = random.below(parts.reduce((sum, part) => sum + part, 0));
  const chosen = actions.find((_, index) => {
    left -= parts[index] ?? 0;
    return left < 0;
  });
  if (chosen === undefined) throw new RangeError('there is nothing to do');
  return chosen;
}
