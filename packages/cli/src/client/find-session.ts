import { isJsonObject } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import { objectsIn } from '../output/safe-text.ts';
import type { AskHost } from './ask-host.ts';
import { hostRefusal } from './host-refusal.ts';

/** True for the id of a session; a name never looks like one. */
function isSessionId(word: string): boolean {
  return /^ses_[\w-]{10,}$/.test(word);
}

/** True for what may be no name, as it could be taken for an id. */
export function beginsAsId(word: string): boolean {
  return word.startsWith('ses_');
}

/** The id of an open session by its name, or null where none has it. Rejects with `session_ambiguous`: which of several is meant nobody can know. */
async function sessionNamed(ask: AskHost, name: string): Promise<string | null> {
  const found = await ask({ method: 'GET', path: `/api/sessions?name=${encodeURIComponent(name)}` });
  const rows = isJsonObject(found) ? objectsIn(found['sessions']) : [];
  const ids = rows.map(({ id }) => id).filter((id) => typeof id === 'string');
  if (ids.length > 1) throw await hostRefusal('session_ambiguous', '', { sessions: ids });
  return ids[0] ?? null;
}

/**
 * The id of a session by its id or name; null for a name that no open one has, and that a new one may take. Rejects with `session_unknown` for
 * what begins as an id and is none, and with `session_ambiguous`.
 */
export async function sessionOrNone(ask: AskHost, session: string): Promise<string | null> {
  if (isSessionId(session)) return session;
  const id = await sessionNamed(ask, session);
  if (id === null && beginsAsId(session)) throw await hostRefusal('session_unknown');
  return id;
}

/** The path of a session's routes, by its id or name. Throws `no_such_session` for a name that no open one has, `session_ambiguous`. */
export async function sessionPath(ask: AskHost, session: string): Promise<string> {
  const id = isSessionId(session) ? session : await sessionNamed(ask, session);
  if (id === null) throw cliError('no_such_session');
  return `/api/sessions/${id}`;
}
