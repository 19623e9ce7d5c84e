import type { SeededRandom } from '@fairlead/testing';
import type { SoakWorld } from '../soak-world.ts';

/** One thing that a load does, over and over. */
export type Action = {
  readonly name: string;
  /** How often it is chosen, relative to the others. */
  readonly weight: number;
  /** Nothing else is done meanwhile: it would be disturbed in ways that nobody could tell from a fault. */
  readonly alone?: true;
  /** Does it once. Rejects for what must not happen; what is to be expected it tells the world's tally. */
  run(world: SoakWorld, given: ActionInput): Promise<void>;
};

type ActionInput = {
  readonly random: SeededRandom;
  /** Which of the lanes this is: each has a connection of its own. */
  readonly lane: number;
};
