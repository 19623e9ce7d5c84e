import type { Migration } from './migration.ts';

/**
 * The tables that never leave this peer. Times are milliseconds since 1970 by the wall clock; lists are JSON arrays.
 * - `tokens`: `hash` is the SHA-256 of the whole token, base64url; the token itself is nowhere. `runners` null = every Runner.
 * - `bindings`: one row per describe; `seq` is the order they were made in.
 * - `journal`: one row per invocation; `finished` null = an intent without an outcome; `boot` = the start that wrote it.
 */
export const peerLocal: Migration = {
  name: '0001-peer-local',
  statements: [
    `CREATE TABLE tokens (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('personal', 'runner')),
      name TEXT NOT NULL,
      hash TEXT NOT NULL UNIQUE,
      scopes TEXT NOT NULL,
      runners TEXT,
      runner TEXT CHECK ((runner IS NOT NULL) = (kind = 'runner')),
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      revoked_at INTEGER
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE bindings (
      seq INTEGER PRIMARY KEY,
      binding TEXT NOT NULL UNIQUE,
      runner TEXT NOT NULL,
      runner_instance TEXT NOT NULL,
      plugin TEXT NOT NULL,
      provider_instance TEXT NOT NULL,
      tool TEXT NOT NULL,
      observation TEXT NOT NULL,
      timeout_secs INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT`,
    // Rows are only ever added at the end and removed at the front, so the row number serves where an index on `at`
    // would cost every call another page. An index on open intents would too; they are looked for once, at start.
    `CREATE TABLE journal (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      at INTEGER NOT NULL,
      principal TEXT NOT NULL,
      action TEXT NOT NULL,
      runner TEXT,
      plugin TEXT,
      tool TEXT,
      binding_present INTEGER NOT NULL CHECK (binding_present IN (0, 1)),
      arguments_digest TEXT,
      certainty TEXT CHECK (certainty IN ('not_started', 'completed', 'outcome_unknown')),
      code TEXT,
      finished INTEGER,
      boot TEXT NOT NULL,
      CHECK ((certainty IS NULL) = (finished IS NULL))
    ) STRICT`,
  ],
};
