/** What a column holds. Whole numbers stay within ±(2^53−1); a boolean is stored as 0 or 1. */
export type SqlValue = null | number | string | Uint8Array;

/** One statement of a batch: constant text with positional `?`, so that every engine can prepare it once. */
export type Statement = { readonly sql: string; readonly parameters?: readonly SqlValue[] };

/**
 * What an acknowledged batch survives. `full`: the loss of power. `normal`: the death of the process; a loss of power may
 * take the newest of them, never one that is older than a later `full` batch, and never the database.
 */
export type Durability = 'full' | 'normal';

/** The one door to the state directory's database. No engine shows through. */
export interface Store extends AsyncDisposable {
  /**
   * Rows of a query over what has been committed. The caller bounds the result (`LIMIT`).
   * Rejects with `store_closed`, `store_corrupt`, `store_io_failed`, `store_busy`, `store_statement_invalid`.
   */
  read<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;

  /**
   * Commits the statements of one batch together or not at all, `full` unless told otherwise; resolves when the batch is
   * as durable as asked, with the rows that each statement changed. Batches that wait at the same time share one commit;
   * they are applied in the order they came, and one that fails takes no other with it.
   * At most 1,000 statements. Rejects with a code of `storeErrors`; then nothing of the batch was written.
   */
  write(
    statements: readonly Statement[],
    durability?: Durability,
  ): Promise<{ readonly changes: readonly number[] }>;

  /** Commits what waits, then closes. Later calls reject with `store_closed`; closing again does nothing. */
  close(): Promise<void>;
}
