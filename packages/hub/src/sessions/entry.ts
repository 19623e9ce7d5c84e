import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { RecordId } from '@fairlead/store';

/** The table that holds what happened in a session. */
export const ENTRIES_TABLE = 'entries';

/** An entry as extensions and clients see it, flat: its id beside its own members. */
export type EntryView = JsonObject & {
  readonly id: RecordId;
  readonly type: string;
  readonly at: number;
  readonly from: JsonObject & { readonly kind: string; readonly id: string };
};

/** An entry as any peer may have written it; undefined for what lacks a type, a time or a speaker. */
export function readEntry(id: RecordId, value: Json): EntryView | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, at, from } = value;
  if (typeof type !== 'string' || typeof at !== 'number' || !isJsonObject(from)) return undefined;
  if (typeof from['kind'] !== 'string' || typeof from['id'] !== 'string') return undefined;
  return { ...value, id } as EntryView;
}
