import type { OwnedSegments } from '@fairlead/extension/runtime';
import type { Statement, Store } from '@fairlead/store';
import { outputsLimits } from '../limits.ts';

/** What each extension last said of itself in a session: extension → key → text. */
export type SessionOutputs = ReadonlyMap<string, Readonly<Record<string, string>>>;

interface OutputRow {
  readonly extension: string;
  readonly key: string;
  readonly text: string;
}

/**
 * The status that extensions publish, kept by this peer for itself: another peer shows what its own instances say. Only what
 * changed is written.
 */
export class Outputs {
  readonly #store: Store;
  readonly #mask: (text: string) => string;
  /** One write after another for a session, so that each is compared with the one before. */
  readonly #writing = new Map<string, Promise<void>>();

  /** `mask` hides what no text may hold; default nothing. */
  constructor(store: Store, mask: (text: string) => string = (text) => text) {
    this.#store = store;
    this.#mask = mask;
  }

  /**
   * What the extensions of a session say now, in place of what they said; an extension that is not among them is taken out.
   * Resolves with the number of rows that had to be written.
   */
  publish(session: string, segments: readonly OwnedSegments[]): Promise<number> {
    const before = this.#writing.get(session) ?? Promise.resolve();
    const written = before.then(() => this.#write(session, segments));
    const settled = written.then(
      () => {},
      () => {},
    );
    this.#writing.set(session, settled);
    settled.then(() => {
      if (this.#writing.get(session) === settled) this.#writing.delete(session);
    });
    return written;
  }

  /** What was published last, extensions and keys by name. */
  async of(session: string): Promise<SessionOutputs> {
    const byExtension = Map.groupBy(await this.#rows(session), ({ extension }) => extension);
    return new Map(
      [...byExtension].map(([extension, rows]) => [
        extension,
        Object.fromEntries(rows.map(({ key, text }) => [key, text])),
      ]),
    );
  }

  /** Takes out what a session's extensions published; for one that has closed. */
  async forget(session: string): Promise<void> {
    await this.publish(session, []);
  }

  async #write(session: string, segments: readonly OwnedSegments[]): Promise<number> {
    const stored = new Map((await this.#rows(session)).map((row) => [placeOf(row), row]));
    const statements: Statement[] = [];
    for (const { owner, segments: own } of segments)
      for (const [key, text] of Object.entries(own).map((pair) => pair.map(this.#mask) as [string, string])) {
        const place = placeOf({ extension: owner, key });
        if (stored.get(place)?.text !== text) statements.push(put(session, { extension: owner, key, text }));
        stored.delete(place);
      }
    for (const { extension, key } of stored.values()) statements.push(remove(session, extension, key));
    // It says how things are now, and is said again at the next turn.
    for (let from = 0; from < statements.length; from += outputsLimits.maxInBatch)
      await this.#store.write(statements.slice(from, from + outputsLimits.maxInBatch), 'normal');
    return statements.length;
  }

  async #rows(session: string): Promise<OutputRow[]> {
    return await this.#store.read<OutputRow>(
      'SELECT extension, key, text FROM extension_outputs WHERE session = ? ORDER BY extension, key LIMIT ?',
      [session, outputsLimits.maxRows],
    );
  }
}

function placeOf({ extension, key }: { readonly extension: string; readonly key: string }): string {
  return `${extension} ${key}`;
}

function put(session: string, { extension, key, text }: OutputRow): Statement {
  return {
    sql: 'INSERT INTO extension_outputs (session, extension, key, text) VALUES (?, ?, ?, ?) ON CONFLICT (session, extension, key) DO UPDATE SET text = excluded.text',
    parameters: [session, extension, key, text],
  };
}

function remove(session: string, extension: string, key: string): Statement {
  return {
    sql: 'DELETE FROM extension_outputs WHERE session = ? AND extension = ? AND key = ?',
    parameters: [session, extension, key],
  };
}
