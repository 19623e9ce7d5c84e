import type { JsonObject } from '@fairlead/base';
import { ENTRIES_TABLE } from '@fairlead/hub';
import type { Database, RecordId } from '@fairlead/store';
import { entryLimits } from '../limits.ts';
import type { Entry, UnknownEntry } from './entry.ts';
import { readEntry } from './read-entry.ts';

/** Entries, newest first. `before` continues the page; null when nothing older is left. */
export interface EntryPage {
  readonly entries: readonly (Entry | UnknownEntry)[];
  readonly before: RecordId | null;
}

type Of<Type extends Entry['type']> = Extract<Entry, { readonly type: Type }>;

/** The newest entries of a session, or the newest before one; at most 200. Rejects with `record_not_found`. */
export async function entryPage(
  session: Database,
  page: { readonly before?: RecordId; readonly limit?: number } = {},
): Promise<EntryPage> {
  const limit = Math.max(1, Math.min(page.limit ?? entryLimits.page, entryLimits.page));
  const { rows, before } = await session.table(ENTRIES_TABLE).tail(limit, page.before);
  const entries = rows.map(({ id, value }) => readEntry(id, value)).filter((entry) => entry !== undefined);
  return { entries, before };
}

/** The entries of a session from the newest back, at most 10,000 records. What is no entry is passed over. */
export async function* entriesBackwards(session: Database): AsyncGenerator<Entry | UnknownEntry, void, void> {
  let before: RecordId | undefined;
  for (let seen = 0; seen < entryLimits.lookBack; seen += entryLimits.page) {
    const page = await entryPage(session, before === undefined ? {} : { before });
    yield* page.entries;
    if (page.before === null) return;
    before = page.before;
  }
}

/** The newest entry of a type, undefined where none of the newest 10,000 is one; `of` one agent where it is given. */
export async function lastEntry<Type extends 'ack' | 'turn_end' | 'summary'>(
  session: Database,
  type: Type,
  accepts: (entry: Of<Type>) => boolean = () => true,
): Promise<Of<Type> | undefined> {
  for await (const entry of entriesBackwards(session))
    if (entry.type === type && accepts(entry as Of<Type>)) return entry as Of<Type>;
  return undefined;
}

/**
 * A session as lines of JSON, each without its line break: first `{format, session, meta, version}`, then every entry in order, as it was
 * written and with its id. `version` names the state: for each author how many of its commits are in it.
 */
export async function* exportSession(session: Database): AsyncGenerator<JsonObject, void, void> {
  const meta = await session.doc('meta').get();
  yield {
    format: 'fairlead-session-v1',
    session: session.root,
    meta: meta as JsonObject,
    version: { ...session.version() },
  };
  for await (const { id, value } of session.table(ENTRIES_TABLE).scan()) {
    const entry = readEntry(id, value);
    if (entry !== undefined) yield { ...(value as JsonObject), id };
  }
}
