import { randomUUID } from 'node:crypto';
import { APPROVAL, CALL, LAST_STEP, MESSAGE, MESSAGE_KEY, STEP, TURN, together } from '../kept-rows.ts';
import { SessionStream } from '../session-stream.ts';
import type { SoakWorld } from '../soak-world.ts';
import type { Action } from './action.ts';
import { ask, demand } from './admin-route.ts';
import { makeSession, spoke } from './conversation.ts';

/** Those that are open at one time because nobody answers. */
const UNANSWERED_MAX = 2;
/** An approval is open for 300 s. */
const EXPIRED_AFTER_MS = 330_000;
const CUT = together(MESSAGE, MESSAGE_KEY, TURN, STEP, APPROVAL, CALL);
const WHOLE = together(CUT, LAST_STEP);

/** Tells an agent something that it has to ask for; resolves with what is asked. */
async function asked(world: SoakWorld, stream: SessionStream, session: string): Promise<string> {
  const body = { text: 'Go on.', key: randomUUID() };
  const posted = await ask(world, { method: 'POST', path: `/api/sessions/${session}/entries`, body });
  demand('saying something', posted, 200);
  spoke(world, session);
  const { data } = await stream.until(
    ({ event, data: { state } }) => event === 'approval' && state === 'open',
    'anybody was asked',
  );
  return String(data['approval']);
}

async function decided(world: SoakWorld, decision: string): Promise<void> {
  const session = await makeSession(world, 'asker');
  await using stream = await SessionStream.open(world, session);
  const path = `/api/approvals/${await asked(world, stream, session)}`;
  demand('deciding', await ask(world, { method: 'POST', path, body: { decision } }), 200);
  await stream.untilTurnEnd();
  world.tally.keeps(WHOLE);
}

/** What is waited for in a session. */
async function isOpen(world: SoakWorld, session: string): Promise<boolean> {
  const path = `/api/approvals?session=${session}`;
  const listed = await ask(world, { method: 'GET', path });
  demand('listing approvals', listed, 200);
  const { approvals } = listed.output as { readonly approvals: readonly unknown[] };
  return approvals.length > 0;
}

/** People who are asked: they answer, or the turn is cancelled, or nothing ever comes. */
export const approvals: readonly Action[] = [
  { name: 'approval asked for and given', weight: 0.15, run: (world) => decided(world, 'approve') },
  { name: 'approval asked for and denied', weight: 0.1, run: (world) => decided(world, 'deny') },
  {
    name: 'turn cancelled while it asks',
    weight: 0.1,
    async run(world) {
      const session = await makeSession(world, 'asker');
      await using stream = await SessionStream.open(world, session);
      await asked(world, stream, session);
      const path = `/api/sessions/${session}/cancel`;
      demand('cancelling', await ask(world, { method: 'POST', path }), 200);
      await stream.untilTurnEnd();
      world.tally.keeps(CUT);
    },
  },
  {
    name: 'approval asked for and left to expire',
    weight: 0.1,
    async run(world) {
      for (const [session, sinceMs] of world.unanswered) {
        if (!(await isOpen(world, session))) world.unanswered.delete(session);
        else if (performance.now() - sinceMs > EXPIRED_AFTER_MS)
          throw new Error('an approval does not expire');
      }
      // A host that is paused cancels them, so that others get their turn before the next ones are left.
      if (world.unanswered.size >= UNANSWERED_MAX) return;
      const session = await makeSession(world, 'asker');
      world.unanswered.set(session, performance.now());
      await using stream = await SessionStream.open(world, session);
      await asked(world, stream, session);
      world.tally.keeps(WHOLE);
    },
  },
];
