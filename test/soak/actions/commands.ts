import type { JsonObject } from '@fairlead/base';
import { isDisturbance } from '../outcome.ts';
import type { SoakWorld } from '../soak-world.ts';
import type { Action } from './action.ts';
import { madeSession, spoke, tookTurn } from './conversation.ts';

/** Runs a command whose answer is JSON; null where it was refused for what is to be expected. */
async function asked(world: SoakWorld, args: readonly string[]): Promise<JsonObject | null> {
  const done = await world.command([...args, '--json']);
  if (done.exit === 0) return JSON.parse(done.stdout) as JsonObject;
  const code = /^fairlead: .*\((\w+)\)$/m.exec(done.stderr)?.[1];
  const isRefusal = done.exit === 1 || done.exit === 3;
  if (!isRefusal || code === undefined || !isDisturbance(code))
    throw new Error(`${args.slice(0, 2).join(' ')} ended with ${done.exit} (${code ?? 'no code'})`);
  world.tally.disturbed(code);
  return null;
}

export const commands: readonly Action[] = [
  {
    name: 'fairlead plugin call',
    weight: 0.4,
    async run(world) {
      const target = ['--runner', 'near', '--plugin', 'raw-node', '--tool', 'add'];
      const answer = await asked(world, ['plugin', 'call', ...target, '--arguments', '{"a":1,"b":2}']);
      // It describes, then calls.
      world.tally.invoked();
      world.tally.invoked();
      if (answer === null) return;
      const content = answer['structuredContent'] as { readonly sum?: unknown } | undefined;
      if (content?.sum !== 3) throw new Error(`the sum is ${JSON.stringify(answer)}`);
    },
  },
  {
    name: 'fairlead status',
    weight: 0.3,
    async run(world) {
      const answer = await asked(world, ['status']);
      if (answer?.['running'] !== true) throw new Error(`status says ${JSON.stringify(answer)}`);
    },
  },
  {
    name: 'fairlead run',
    weight: 0.1,
    async run(world) {
      const report = await asked(world, ['run', 'Go on.', '--agent', 'soak', '--workspace', world.workspace]);
      if (report === null) throw new Error('a run was refused');
      spoke(world, madeSession(world, String(report['session'])));
      tookTurn(world, 'soak', report);
    },
  },
];
