import {
  CALL,
  CLOSED,
  FIRST_ENTRY,
  type KeptRows,
  LAST_STEP,
  MESSAGE,
  REMEMBERED,
  STEP,
  TURN,
  together,
} from '../kept-rows.ts';
import type { AgentName } from '../soak-agents.ts';
import type { SoakWorld } from '../soak-world.ts';
import type { Action } from './action.ts';
import { anySession, tell, type } from './conversation.ts';

/** A turn of an agent, in a session of its own or one that was left. `more` is what it leaves beside its calls. */
function turnOf(
  name: string,
  agent: AgentName,
  { weight, more = () => ({}) }: { readonly weight: number; readonly more?: (world: SoakWorld) => KeptRows },
): Action {
  return {
    name,
    weight,
    async run(world, { random }) {
      await tell(world, await anySession(world, agent, random), agent);
      world.tally.keeps(more(world));
    },
  };
}

/** A session for the worker, which says whose it is, with a turn of one call; it is closed behind it. */
function workerRows({ sessionRows }: SoakWorld): KeptRows {
  const turn = together(MESSAGE, TURN, STEP, LAST_STEP, CALL);
  return together(sessionRows, { operations: 1 }, FIRST_ENTRY, turn, CLOSED);
}

/** Agents that use what there is: tools of every kind, memory, skills, workers. */
export const agentTurns: readonly Action[] = [
  turnOf('turn with built-in tools and a plugin', 'hand', { weight: 0.4 }),
  turnOf('turn that gives a worker a task', 'giver', { weight: 0.1, more: workerRows }),
  turnOf('turn that uses an MCP server', 'caller', { weight: 0.4 }),
  turnOf('turn that uses skills', 'reader', { weight: 0.2 }),
  turnOf('turn that remembers and recalls', 'keeper', { weight: 0.3, more: () => REMEMBERED }),
  {
    name: 'memory that is recalled and forgotten by command',
    weight: 0.1,
    async run(world, { random }) {
      // What nobody remembers any more cannot be forgotten: another lane waits for its turn.
      await world.inTurn('memory', async () => {
        const session = await anySession(world, 'keeper', random);
        await tell(world, session, 'keeper');
        await type(world, session, '/memory recall water');
        await type(world, session, '/memory forget harbour');
        world.tally.keeps(together(REMEMBERED, REMEMBERED));
      });
    },
  },
  {
    name: 'skills, costs and agents looked at by command',
    weight: 0.2,
    async run(world, { random }) {
      const session = await anySession(world, 'reader', random);
      for (const line of ['/skills', '/costs', '/agent show reader', '/info', '/extensions'])
        await type(world, session, line);
    },
  },
];
