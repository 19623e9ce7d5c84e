import type { Migration } from './migration.ts';

/**
 * What this peer alone knows of its routines. Times are milliseconds since 1970 by the wall clock; `boot` is the start that wrote the row.
 * - `slots`: one row for each due firing; inserting it is the claim. `routine` names the routine in its database, `late_ms` how long after
 *   `due` it was claimed. `turn` and `session` are what an agent's schedule began.
 * - `routine_state`: `record` is the version of the routine's own row that `next` was computed from; `next` is null where nothing is due
 *   any more. `failures` = in a row.
 */
export const routines: Migration = {
  name: '0007-routines',
  statements: [
    `CREATE TABLE slots (
      seq INTEGER PRIMARY KEY,
      database TEXT NOT NULL,
      routine TEXT NOT NULL,
      due INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('claimed', 'running', 'fired', 'missed', 'skipped', 'unknown')),
      claimed_boot TEXT NOT NULL,
      turn TEXT,
      session TEXT,
      outcome TEXT CHECK (outcome IN ('completed', 'failed', 'cancelled')),
      code TEXT,
      late_ms INTEGER NOT NULL,
      at INTEGER NOT NULL,
      UNIQUE (database, routine, due)
    ) STRICT`,
    // Few at a time; looked for at start.
    `CREATE INDEX slots_open ON slots (seq) WHERE state IN ('claimed', 'running')`,
    'CREATE INDEX slots_at ON slots (at)',
    `CREATE TABLE routine_state (
      database TEXT NOT NULL,
      routine TEXT NOT NULL,
      record TEXT NOT NULL,
      next INTEGER,
      failures INTEGER NOT NULL,
      last_code TEXT,
      PRIMARY KEY (database, routine)
    ) STRICT, WITHOUT ROWID`,
  ],
};
