import {
  type Clock,
  encodeJson,
  FairleadError,
  hasControlCharacter,
  type Json,
  type JsonObject,
} from '@fairlead/base';
import type { Ask } from '@fairlead/extension/runtime';
import type { Database } from '@fairlead/store';
import { hubError } from '../errors.ts';
import { sessionLimits } from '../limits.ts';
import { ENTRIES_TABLE, type EntryView, readEntry } from './entry.ts';

/** A question about sessions. */
export type SessionAsk = Extract<Ask, { readonly op: `session.${string}` }>;

export interface SessionDoorOptions {
  /** The extension that asks. */
  readonly extension: string;
  readonly clock: Clock;
  /** Hides what no entry may hold. Default: nothing. */
  readonly mask?: (text: string) => string;
  /** Has a database by its root id until `work` has ended; rejects with `database_not_found`, or as `work` does. */
  use<T>(root: string, work: (database: Database) => Promise<T>): Promise<T>;
}

/**
 * Sessions as one generation of an extension reaches them: the one that its call belongs to, and those that it opened by id. The
 * manifest has been consulted before.
 */
export class SessionDoor {
  readonly #options: SessionDoorOptions;
  readonly #opened = new Set<string>();

  constructor(options: SessionDoorOptions) {
    this.#options = options;
  }

  /**
   * Answers a question. `current` is the root id of the session that the asking call belongs to. Rejects with `session_not_here`,
   * `entry_invalid`, or a code of the store.
   */
  async answer(ask: SessionAsk, current: string | undefined): Promise<Json> {
    switch (ask.op) {
      case 'session.open':
        return await this.#open(ask.id);
      case 'session.read':
        return await this.#reach(ask.session, current, (session) => readEntries(session, ask));
      case 'session.append':
        return await this.#reach(ask.session, current, (session) => this.#append(session, ask));
    }
  }

  async #open(id: string): Promise<Json> {
    const root = await this.#session(id, async (session) => session.root);
    // The one that was opened longest ago gives way: it can be opened again.
    this.#opened.delete(root);
    this.#opened.add(root);
    const [oldest] = this.#opened;
    if (this.#opened.size > sessionLimits.maxOpened && oldest !== undefined) this.#opened.delete(oldest);
    return { id: root };
  }

  async #reach(
    id: string,
    current: string | undefined,
    work: (session: Database) => Promise<Json>,
  ): Promise<Json> {
    if (id !== current && !this.#opened.has(id)) throw hubError('session_not_here');
    return await this.#session(id, work);
  }

  /** The same answer for what there is not and for what is no session. */
  async #session<T>(id: string, work: (session: Database) => Promise<T>): Promise<T> {
    try {
      return await this.#options.use(id, async (database) => {
        if (database.kind !== 'session') throw hubError('session_not_here');
        return await work(database);
      });
    } catch (error) {
      if (error instanceof FairleadError && error.code === 'database_not_found')
        throw hubError('session_not_here');
      throw error;
    }
  }

  async #append(session: Database, ask: Extract<SessionAsk, { op: 'session.append' }>): Promise<Json> {
    const { extension, clock, mask = (text: string) => text } = this.#options;
    const { type, from } = ask;
    if (type !== 'message' && type !== 'directive') throw hubError('entry_invalid', 'type');
    if (typeof ask.text !== 'string') throw hubError('entry_invalid', 'text');
    const text = mask(ask.text);
    if (Buffer.byteLength(text) > sessionLimits.maxTextBytes) throw hubError('entry_invalid', 'text');
    const speaker =
      from === undefined ? { kind: 'extension', id: extension } : speakerOf(extension, from, mask);
    const entry: JsonObject = { type, at: Math.floor(clock.wallMs()), from: speaker, text };
    if (Buffer.byteLength(encodeJson(entry)) > sessionLimits.maxEntryBytes)
      throw hubError('entry_invalid', 'size');
    return { id: await session.table(ENTRIES_TABLE).append(entry) };
  }
}

/** Who spoke, where an extension delivers it: never somebody whom the host itself names. */
function speakerOf(
  extension: string,
  { id, name }: { readonly id: string; readonly name?: string },
  mask: (text: string) => string,
): JsonObject {
  if (!isSpeakerText(id)) throw hubError('entry_invalid', 'from.id');
  const speaker = { kind: 'client', id: `ext:${extension}/${mask(id)}` };
  if (name === undefined) return speaker;
  if (!isSpeakerText(name)) throw hubError('entry_invalid', 'from.name');
  return { ...speaker, name: mask(name) };
}

function isSpeakerText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    Buffer.byteLength(value) <= sessionLimits.maxSpeakerBytes &&
    !hasControlCharacter(value) &&
    !/[\t\n\r]/.test(value)
  );
}

/**
 * The newest entries, oldest first, before one where it is given; none before an entry that there is not. Records that are no
 * entries are passed over. As many as fit into one answer: what is left out is older, so that the next read goes on from there.
 */
async function readEntries(
  session: Database,
  { last, before }: { readonly last: number; readonly before?: string },
): Promise<Json> {
  const wanted = Math.max(1, Math.min(Math.floor(last), sessionLimits.maxRead));
  const newestFirst: EntryView[] = [];
  let bytes = 0;
  let from = before;
  for (let pages = 0; pages < sessionLimits.maxPages && newestFirst.length < wanted; pages += 1) {
    const page = await tail(session, wanted - newestFirst.length, from);
    for (const { id, value } of page.rows) {
      const entry = readEntry(id, value);
      if (entry === undefined) continue;
      bytes += Buffer.byteLength(encodeJson(entry)) + 1;
      if (bytes > sessionLimits.maxAnswerBytes) return newestFirst.reverse();
      newestFirst.push(entry);
    }
    if (page.before === null) break;
    from = page.before;
  }
  return newestFirst.reverse();
}

async function tail(session: Database, count: number, before: string | undefined) {
  try {
    return await session.table(ENTRIES_TABLE).tail(count, before);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'record_not_found')
      return { rows: [], before: null };
    throw error;
  }
}
