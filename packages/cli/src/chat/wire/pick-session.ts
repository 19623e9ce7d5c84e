import { isJsonObject } from '@fairlead/base';
import { cliError } from '../../cli-error.ts';
import { checkModel } from '../../client/check-model.ts';
import { sessionOrNone } from '../../client/find-session.ts';
import { hostAgents } from '../../client/host-agents.ts';
import { objectsIn } from '../../output/safe-text.ts';
import { word } from '../model/block.ts';
import type { HostDoor } from './host-door.ts';

/** Which session a chat begins in. */
export type SessionWish = {
  /** Its name or id; a name that none has makes one. */
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** The folder of a new one; without a name the newest session of this folder goes on. */
  readonly workspace: string;
  readonly isNew: boolean;
};

/** The id of the session: found, or made. Rejects with `model_missing` where a new one would have nobody who answers. */
export async function pickSession(door: HostDoor, wish: SessionWish): Promise<string> {
  if (wish.model !== undefined) await checkModel((request) => door.ask(request), wish.model);
  const id = (await known(door, wish)) ?? (await made(door, wish));
  if (wish.model !== undefined)
    await door.ask({ method: 'PATCH', path: `/api/sessions/${id}`, body: { model: wish.model } });
  return id;
}

async function known(
  door: HostDoor,
  { session, agent, workspace, isNew }: SessionWish,
): Promise<string | null> {
  if (session !== undefined) return await sessionOrNone((request) => door.ask(request), session);
  if (isNew) return null;
  const found = await door.ask({ method: 'GET', path: '/api/sessions?limit=200' });
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

async function made(door: HostDoor, { session, agent, workspace }: SessionWish): Promise<string> {
  const name = agent ?? (await firstAgent(door));
  if (name === null) throw cliError('model_missing');
  const body = { agents: [name], workspace, ...(session === undefined ? {} : { name: session }) };
  const answer = await door.ask({ method: 'POST', path: '/api/sessions', body });
  return word(isJsonObject(answer) ? answer['id'] : undefined);
}

/** The agent that answers where nobody is named; null where the host has no model, so that nobody does. */
export async function firstAgent(door: HostDoor): Promise<string | null> {
  const { first, hasModel } = await hostAgents((request) => door.ask(request));
  return hasModel ? first : null;
}
