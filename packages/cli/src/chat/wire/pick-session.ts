import { isJsonObject } from '@fairlead/base';
import { hostStanding } from '../../client/host-standing.ts';
import { knownSession, newSession, type SessionWish, sessionDoor } from '../../client/session-door.ts';
import { objectsIn } from '../../output/safe-text.ts';
import { word } from '../model/block.ts';
import type { HostDoor } from './host-door.ts';

/** Which session a chat begins in. Without a name the newest session of the folder goes on. */
export type ChatSessionWish = SessionWish & { readonly isNew: boolean };

/** The id of the session: found, or made. Rejects with `model_missing` where a new one would have nobody who answers. */
export async function pickSession(host: HostDoor, wish: ChatSessionWish): Promise<string> {
  const door = sessionDoor((request) => host.ask(request));
  const id =
    (await knownSession(door, wish)) ??
    (await newestHere(host, wish)) ??
    (await newSession(door, wish, await door.standing()));
  if (wish.model !== undefined)
    await host.ask({ method: 'PATCH', path: `/api/sessions/${id}`, body: { model: wish.model } });
  return id;
}

async function newestHere(
  host: HostDoor,
  { session, agent, workspace, isNew }: ChatSessionWish,
): Promise<string | null> {
  if (session !== undefined || isNew) return null;
  const found = await host.ask({ method: 'GET', path: '/api/sessions?limit=200' });
  const rows = isJsonObject(found) ? objectsIn(found['sessions']) : [];
  const fits = rows.find(
    (row) =>
      row['workspace'] === workspace &&
      row['parent'] === null &&
      row['source'] === null &&
      objectsIn(row['agents']).some(({ name }) => agent === undefined || name === agent),
  );
  return fits === undefined ? null : word(fits['id']);
}

/** The agent that answers where nobody is named; null where the host has no model, so that nobody does. */
export async function firstAgent(door: HostDoor): Promise<string | null> {
  const { first, hasModel } = await hostStanding((request) => door.ask(request));
  return hasModel ? first : null;
}
