import { isJsonObject } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import { objectsIn } from '../output/safe-text.ts';
import type { AskHost } from './ask-host.ts';

/** True for the id of a session; a name never looks like one. */
export function isSessionId(word: string): boolean {
  return /^ses_[\w-]{10,}$/.test(word);
}

/** The id of an open session by its name, or null where none has it. */
export async function sessionNamed(ask: AskHost, name: string): Promise<string | null> {
  const found = await ask({ method: 'GET', path: `/api/sessions?name=${encodeURIComponent(name)}` });
  const [first] = isJsonObject(found) ? objectsIn(found['sessions']) : [];
  return typeof first?.['id'] === 'string' ? first['id'] : null;
}

/** The path of a session's routes, by its id or name. Throws `no_such_session` for a name that no open one has. */
export async function sessionPath(ask: AskHost, session: string): Promise<string> {
  const id = isSessionId(session) ? session : await sessionNamed(ask, session);
  if (id === null) throw cliError('no_such_session');
  return `/api/sessions/${id}`;
}
