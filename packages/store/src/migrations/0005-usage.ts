import type { Migration } from './migration.ts';

/**
 * What calls of models cost, a row for each attempt; it never leaves the peer. A row is written with its estimate before the call and
 * corrected after it: `estimated` 1 = the correction never came, or the back end did not say.
 * - `at`: milliseconds since 1970 by the wall clock; `day`: that moment's date, `YYYY-MM-DD`, in the zone of the ceilings.
 * - `root`: the turn that began it all; a child session's turns have that of who made it.
 * - `input` has `cached` and `written` in it, `output` has `reasoning`. `nanousd` is null for a model without a price.
 */
export const usage: Migration = {
  name: '0005-usage',
  statements: [
    `CREATE TABLE usage (
      seq INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      day TEXT NOT NULL,
      turn TEXT NOT NULL,
      root TEXT NOT NULL,
      session TEXT NOT NULL,
      agent TEXT NOT NULL,
      model TEXT NOT NULL,
      input INTEGER NOT NULL,
      output INTEGER NOT NULL,
      cached INTEGER NOT NULL,
      written INTEGER NOT NULL,
      reasoning INTEGER NOT NULL,
      nanousd INTEGER,
      estimated INTEGER NOT NULL CHECK (estimated IN (0, 1))
    ) STRICT`,
    // Each is what a ceiling sums over; the last serves an agent’s day and everybody’s.
    'CREATE INDEX usage_of_root ON usage (root)',
    'CREATE INDEX usage_of_session ON usage (session)',
    'CREATE INDEX usage_of_day ON usage (day, agent)',
  ],
};
