import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { objectsIn } from '../../output/safe-text.ts';
import { word } from '../model/block.ts';
import type { CommandRow, Names } from '../model/completion.ts';
import type { HostDoor } from './host-door.ts';

/** Everything that can be completed in a session. What the host does not answer has no names. */
export async function readNames(door: HostDoor, session: string): Promise<Names> {
  const told = async (line: string): Promise<JsonObject> => {
    const answer = await door
      .ask({ method: 'POST', path: `/api/sessions/${session}/command`, body: { line } })
      .catch(() => null);
    return objectOf(isJsonObject(answer) ? answer['data'] : null);
  };
  const asked = async (path: string): Promise<JsonObject> =>
    objectOf(await door.ask({ method: 'GET', path }).catch(() => null));
  const [help, hosted, extensions, approvals, groups, sessions, models] = await Promise.all([
    told('/help'),
    told('/agent hosted'),
    told('/extensions list'),
    told('/approvals'),
    told('/groups'),
    asked('/api/sessions?limit=200'),
    asked('/api/models'),
  ]);
  return {
    commands: [...objectsIn(help['host']), ...objectsIn(help['extensions'])].map(commandRow),
    agents: textsOf(hosted['agents'], 'name'),
    extensions: textsOf(extensions['extensions'], 'name'),
    approvals: textsOf(approvals['approvals'], 'id'),
    groups: Object.keys(objectOf(groups['groups'])),
    sessions: objectsIn(sessions['sessions']).map((row) => word(row['name']) || word(row['id'])),
    models: Array.isArray(models['models']) ? models['models'].map(word).filter((name) => name !== '') : [],
  };
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value ?? null) ? (value as JsonObject) : {};
}

function textsOf(rows: Json | undefined, member: string): string[] {
  return objectsIn(rows)
    .map((row) => word(row[member]))
    .filter((text) => text !== '');
}

function commandRow(row: JsonObject): CommandRow {
  const aliases = Array.isArray(row['aliases']) ? row['aliases'].map(word) : [];
  return {
    name: word(row['name']),
    aliases,
    about: word(row['about']),
    usages: word(row['usage']).split('\n'),
  };
}
