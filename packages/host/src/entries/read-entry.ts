import { encodeJson, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { readEntryView } from '@fairlead/hub';
import type { RecordId } from '@fairlead/store';
import { entryLimits } from '../limits.ts';
import type { Entry, Speaker, UnknownEntry } from './entry.ts';
import { bodyOf } from './entry-form.ts';

const KINDS: ReadonlySet<string> = new Set(['person', 'agent', 'client', 'extension', 'schedule', 'host']);

/**
 * A record of the table of entries, as any peer may have written it. What this version does not understand is `unknown`: it is shown
 * and never counted. Undefined for what lacks a type, a time or a speaker: no entry at all.
 */
export function readEntry(id: RecordId, value: Json): Entry | UnknownEntry | undefined {
  const view = readEntryView(id, value);
  if (view === undefined || !isJsonObject(value)) return undefined;
  const at = Number.isSafeInteger(view.at) && view.at >= 0 ? view.at : 0;
  const from = speakerIn(view.from);
  const fits = Buffer.byteLength(encodeJson(value)) <= entryLimits.entryBytes;
  if (fits && from !== null) {
    const reading = bodyOf(withMentions(value));
    if (reading.ok) return { ...reading.body, id, at, from };
  }
  const of = view.type.slice(0, entryLimits.wordBytes).toWellFormed();
  return { type: 'unknown', id, at, from, of, value: fits ? value : null };
}

/** What an extension delivered names nobody by id: its mentions are in the text. */
function withMentions(value: JsonObject): JsonObject {
  return value['type'] === 'message' && value['mentions'] === undefined ? { ...value, mentions: [] } : value;
}

function speakerIn(from: JsonObject): Speaker | null {
  const { kind, id, name } = from;
  if (typeof kind !== 'string' || !KINDS.has(kind) || !isWord(id)) return null;
  const speaker = { kind: kind as Speaker['kind'], id };
  if (name === undefined) return speaker;
  return isWord(name) ? { ...speaker, name } : null;
}

function isWord(value: Json | undefined): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.isWellFormed() &&
    Buffer.byteLength(value) <= entryLimits.wordBytes
  );
}
