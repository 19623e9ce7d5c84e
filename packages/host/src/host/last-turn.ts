import { entriesBackwards } from '../entries/entry-log.ts';
import { hostError } from '../errors.ts';
import type { SessionFloor } from '../sessions/session-floor.ts';
import type { AttachedAgent } from '../sessions/session-meta.ts';

/**
 * The last turn of a session, where it was cut short: interrupted or cancelled. Rejects with `nothing_to_continue`, `turn_running`,
 * `session_closed`, or `agent_not_attached` where its agent takes no part any more.
 */
export async function cutShortTurn(
  { sessions }: SessionFloor,
  session: string,
): Promise<{ readonly turn: string; readonly agent: AttachedAgent }> {
  const database = await sessions.open(session);
  const meta = await sessions.meta(session);
  if (meta.closed) throw hostError('session_closed');
  const ended = new Map<string, string>();
  for await (const entry of entriesBackwards(database)) {
    if (entry.type === 'turn_end') ended.set(entry.turn, entry.status);
    if (entry.type !== 'ack') continue;
    const status = ended.get(entry.turn);
    if (status === undefined) throw hostError('turn_running');
    if (status !== 'interrupted' && status !== 'cancelled') break;
    const agent = meta.agents.find(({ id }) => id === entry.agent);
    if (agent === undefined) throw hostError('agent_not_attached');
    return { turn: entry.turn, agent };
  }
  throw hostError('nothing_to_continue');
}
