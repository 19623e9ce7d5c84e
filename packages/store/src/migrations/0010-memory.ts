import type { Migration } from './migration.ts';

/**
 * What this peer alone keeps of memories.
 * - `embeddings`: one row for each key of a memory and each model (`backend/model`); `record` is the record whose text it stands for, the
 *   newest of that key. `vector` holds a signed byte for each dimension; null is still to be made. `tries` = failures in a row of that text.
 * - `removed_banks`: banks that a person took off this peer's lists. Their databases stay.
 */
export const memory: Migration = {
  name: '0010-memory',
  statements: [
    `CREATE TABLE embeddings (
      seq INTEGER PRIMARY KEY,
      model TEXT NOT NULL,
      database TEXT NOT NULL,
      key TEXT NOT NULL,
      record TEXT NOT NULL,
      vector BLOB,
      tries INTEGER NOT NULL DEFAULT 0,
      UNIQUE (model, database, key)
    ) STRICT`,
    // In the order in which they were first made, which is the order of a shelf in memory.
    'CREATE INDEX embeddings_of_a_memory ON embeddings (model, database, seq)',
    'CREATE INDEX embeddings_to_make ON embeddings (model, seq) WHERE vector IS NULL',
    'CREATE TABLE removed_banks (database TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  ],
};
