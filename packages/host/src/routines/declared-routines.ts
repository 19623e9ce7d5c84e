import { isJsonObject, type Json, type JsonObject, jsonEqual } from '@fairlead/base';
import type { ScopeKind } from '@fairlead/extension';
import type { Manifest } from '@fairlead/extension/runtime';
import type { Database, Peer } from '@fairlead/store';
import { ROUTINES_TABLE } from './routine-rows.ts';

/** Between an extension's name and its routine's in the id of a routine that the extension declares. */
const SEPARATOR = '/';

/**
 * Writes down the routines that extensions declare with a time, in the database of one scope. What is there stays as it is, switched off
 * too, unless the extension says another time now. Resolves with how many were written.
 */
export async function declareRoutines(
  peer: Peer,
  database: Database,
  scope: ScopeKind,
  manifests: readonly Manifest[],
): Promise<number> {
  const rows: { readonly id: string; readonly value: JsonObject }[] = [];
  for (const { name: extension, routines } of manifests) {
    for (const routine of routines) {
      if (routine.scope !== scope) continue;
      const trigger = triggerOf(routine);
      if (trigger === undefined) continue;
      const id = `${extension}${SEPARATOR}${routine.id}`;
      const known = (await database.latest(ROUTINES_TABLE).get(id))?.value;
      if (isJsonObject(known) && sameTime(known['trigger'], trigger)) continue;
      const kept = isJsonObject(known) ? known : { payload: null, enabled: true };
      rows.push({ id, value: { ...kept, extension, name: routine.id, trigger } });
    }
  }
  if (rows.length > 0)
    await peer.transaction((tx) => {
      for (const { id, value } of rows) tx.on(database).put(ROUTINES_TABLE, id, value);
    });
  return rows.length;
}

function triggerOf({ cron, every_ms: everyMs }: Manifest['routines'][number]): JsonObject | undefined {
  if (cron !== undefined) return { kind: 'cron', cron };
  // Whole seconds: what is declared finer is no time for a routine.
  return everyMs === undefined ? undefined : { kind: 'every', secs: Math.max(1, Math.round(everyMs / 1000)) };
}

/** An operator's zone for the same pattern is no other time. */
function sameTime(known: Json | undefined, declared: JsonObject): boolean {
  if (!isJsonObject(known)) return false;
  const { zone: _, ...rest } = known;
  return jsonEqual(rest, declared);
}
