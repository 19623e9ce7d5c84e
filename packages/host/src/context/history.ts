import { encodeJson, FairleadError } from '@fairlead/base';
import { ENTRIES_TABLE } from '@fairlead/hub';
import type { Database, RecordId, Row } from '@fairlead/store';
import { contextLimits, entryLimits } from '../limits.ts';
import { HistoryDraft, type HistoryPlace } from './history-draft.ts';
import type { Piece } from './piece.ts';

/**
 * What of a session has a part in an agent's next request, read page by page from the newest entry back: no further than the newest summary
 * reaches, and than whoever reads wants to.
 */
export class History {
  readonly #database: Pick<Database, 'table'>;
  readonly #draft: HistoryDraft;
  #newest: RecordId | undefined;
  #before: RecordId | undefined;
  #page: number = contextLimits.firstPage;
  #rows = 0;
  #bytes = 0;
  #ended = false;

  constructor(database: Pick<Database, 'table'>, place: HistoryPlace) {
    this.#database = database;
    this.#draft = new HistoryDraft(place);
  }

  /** The newest entry that was there. */
  get newest(): RecordId | undefined {
    return this.#newest;
  }

  /** Oldest first. */
  get pieces(): readonly Piece[] {
    return this.#draft.pieces;
  }

  /** What stands for everything older; none or one. */
  get summary(): readonly Piece[] {
    return this.#draft.summary;
  }

  /** What was said, newest first; the first few texts of it. */
  get texts(): readonly string[] {
    return this.#draft.texts;
  }

  /** Nothing older has a part in it, or too much was read already. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Reads the next older page. Rejects with a code of the store. */
  async more(): Promise<void> {
    const page = await this.#tail();
    for (const row of page.rows) {
      this.#newest ??= row.id;
      this.#rows += 1;
      this.#bytes += Buffer.byteLength(encodeJson(row.value));
      if (!this.#draft.take(row)) {
        this.#ended = true;
        return;
      }
    }
    const tooMuch =
      this.#draft.used >= contextLimits.entries ||
      this.#rows >= entryLimits.lookBack ||
      this.#bytes >= contextLimits.bytes;
    if (page.before === null || tooMuch) this.#ended = true;
    else this.#before = page.before;
  }

  async #tail(): Promise<{ readonly rows: readonly Row[]; readonly before: RecordId | null }> {
    const size = this.#page;
    this.#page = Math.min(2 * size, entryLimits.page);
    try {
      return await this.#database.table(ENTRIES_TABLE).tail(size, this.#before);
    } catch (error) {
      // The last entry of the page before was taken back meanwhile, by rights that arrived later.
      if (error instanceof FairleadError && error.code === 'record_not_found')
        return { rows: [], before: null };
      throw error;
    }
  }
}
