import { FairleadError, type Fault } from '@fairlead/base';
import type { InvocationError, Principal } from '@fairlead/dispatch';
import type { Database } from '@fairlead/store';
import { hostErrors } from '../errors.ts';
import type { SessionFloor } from '../sessions/session-floor.ts';
import type { AttachedAgent, SessionMeta } from '../sessions/session-meta.ts';
import { dispatchFault, errorOf } from './client-words.ts';

/** A session that a client may use, or why not. */
export type OpenedSession =
  | { readonly ok: true; readonly database: Database; readonly meta: SessionMeta }
  | { readonly ok: false; readonly error: InvocationError };

type Floor = Pick<SessionFloor, 'sessions' | 'agents'>;

/**
 * Opens the session of an id, never of a name: what is not an id exactly names none. Rejects with a code of the store. `isRead`: a closed one can be
 * read.
 */
export async function openedSession(
  floor: Floor,
  session: string,
  principal: Principal,
  { isRead = false }: { readonly isRead?: boolean } = {},
): Promise<OpenedSession> {
  let meta: SessionMeta;
  try {
    meta = await floor.sessions.meta(session);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'session_unknown') throw error;
    return no(dispatchFault('unknown_session_id'));
  }
  if (!(await isWithinReach(floor, principal, meta.agents))) return no(dispatchFault('token_limited'));
  if (meta.closed && !isRead)
    return no({ code: 'session_closed', message: hostErrors.session_closed.message });
  return { ok: true, database: await floor.sessions.open(session), meta };
}

/**
 * True where what these agents may use lies within the Runners of the token. An agent without a list may use every Runner; one that cannot be
 * read counts as such a one.
 */
export async function isWithinReach(
  { agents }: Pick<Floor, 'agents'>,
  { runners }: Principal,
  attached: readonly Pick<AttachedAgent, 'id'>[],
): Promise<boolean> {
  if (runners === undefined) return true;
  for (const { id } of attached) {
    const reading = await agents.config(id).catch(() => undefined);
    const used = reading?.config.runners;
    if (used === undefined || !used.every((runner) => runners.includes(runner))) return false;
  }
  return true;
}

function no(fault: Fault): OpenedSession {
  return { ok: false, error: errorOf(fault) };
}
