import { randomUUID } from 'node:crypto';
import { MESSAGE, MESSAGE_KEY, STEP, TURN, times, together } from '../kept-rows.ts';
import { SessionStream, type StreamEvent } from '../session-stream.ts';
import { SLOW_AGENT } from '../soak-agents.ts';
import type { Action } from './action.ts';
import { ask, demand } from './admin-route.ts';
import { closeSession, makeSession, spoke } from './conversation.ts';

const asksModel = ({ event, data }: StreamEvent) => event === 'state' && data['state'] === 'model';

/** The whole host is stopped, and goes on. */
export const pauses: readonly Action[] = [
  {
    name: 'host paused under a turn, resumed, the turn gone on with and cancelled',
    weight: 0.05,
    alone: true,
    async run(world) {
      // Whoever waits for an answer would be cancelled with everything else.
      if (world.unanswered.size > 0) return;
      const session = await makeSession(world, SLOW_AGENT);
      const one = `/api/sessions/${session}`;
      const post = async (path: string, body?: { readonly text: string; readonly key: string }) =>
        await ask(world, { method: 'POST', path, ...(body === undefined ? {} : { body }) });
      await using stream = await SessionStream.open(world, session);
      const said = await post(`${one}/entries`, { text: 'Go on.', key: randomUUID() });
      demand('saying something', said, 200);
      spoke(world, session);
      await stream.until(asksModel, 'the model was asked');
      demand('pausing', await post('/api/admin/pause'), 200);
      await stream.untilTurnEnd();
      demand('resuming', await post('/api/admin/resume'), 200);
      demand('going on', await post(`${one}/continue`), 200);
      await stream.until(asksModel, 'the model was asked again');
      demand('cancelling', await post(`${one}/cancel`), 200);
      await stream.untilTurnEnd();
      await closeSession(world, session);
      world.tally.keeps(together(MESSAGE, MESSAGE_KEY, times(2, together(TURN, STEP))));
    },
  },
];
