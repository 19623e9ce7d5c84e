import { SessionStream } from '../session-stream.ts';
import type { Action } from './action.ts';
import { anySession, tell } from './conversation.ts';

/** Listeners of sessions that come and go. */
export const streams: readonly Action[] = [
  {
    name: 'stream that follows a turn, and another that goes on behind it',
    weight: 0.3,
    async run(world, { random }) {
      const session = await anySession(world, 'soak', random);
      let behind: string | null;
      {
        await using stream = await SessionStream.open(world, session);
        const first = stream.until(({ event }) => event === 'entry', 'an entry');
        await tell(world, session, 'soak');
        behind = (await first).id;
        await stream.untilTurnEnd();
      }
      if (behind === null) throw new Error('an entry came without an id');
      await using stream = await SessionStream.open(world, session, behind);
      await stream.untilTurnEnd();
    },
  },
  {
    name: 'streams that are cut at once',
    weight: 0.3,
    async run(world, { random }) {
      const session = await anySession(world, 'soak', random);
      const open = await Promise.all([1, 2, 3].map(() => SessionStream.open(world, session)));
      for (const stream of open) await stream[Symbol.asyncDispose]();
    },
  },
];
