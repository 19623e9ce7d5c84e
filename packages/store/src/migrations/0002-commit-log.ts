import type { Migration } from './migration.ts';

/**
 * The signed commit log and what is projected from it; docs/reference/store.md describes every column.
 * - `commits` is the truth; `n` is the arrival number of this peer and never leaves it. `state` 1 = applied, 0 = denied.
 *   `origin` 1 = written here, 2 = came from another peer, 0 = came without standing. `ops` is the canonical JSON array.
 * - `records`, `latest` and `registers` are projections: they can be made anew from `commits`.
 * - `places` finds a commit by its chain and number. It follows `commits` at a distance (up to `places_floor`): one page less
 *   in every transaction that somebody waits for.
 * - `arrivals` are the later turns of a commit: 2 = applied after all, 3 = retracted.
 */
export const commitLog: Migration = {
  name: '0002-commit-log',
  statements: [
    `CREATE TABLE databases (
      id INTEGER PRIMARY KEY,
      root TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      newer INTEGER NOT NULL DEFAULT 0 CHECK (newer IN (0, 1)),
      dropped INTEGER NOT NULL DEFAULT 0 CHECK (dropped IN (0, 1))
    ) STRICT`,
    `CREATE TABLE chains (
      id INTEGER PRIMARY KEY,
      db INTEGER NOT NULL,
      author TEXT NOT NULL,
      peer TEXT NOT NULL,
      UNIQUE (db, author)
    ) STRICT`,
    `CREATE TABLE commits (
      n INTEGER PRIMARY KEY,
      chain INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      hlc INTEGER NOT NULL,
      hash TEXT NOT NULL,
      sig BLOB NOT NULL,
      settings_chain INTEGER,
      settings_seq INTEGER,
      level INTEGER NOT NULL,
      state INTEGER NOT NULL,
      origin INTEGER NOT NULL,
      ops TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE places (
      chain INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      n INTEGER NOT NULL,
      PRIMARY KEY (chain, seq)
    ) STRICT, WITHOUT ROWID`,
    'CREATE TABLE places_floor (id INTEGER PRIMARY KEY CHECK (id = 1), n INTEGER NOT NULL) STRICT',
    'CREATE INDEX commits_of_settings ON commits (chain, seq) WHERE level = 3',
    'CREATE INDEX commits_denied ON commits (chain, seq) WHERE state = 0',
    `CREATE TABLE arrivals (
      n INTEGER PRIMARY KEY,
      commit_n INTEGER NOT NULL,
      origin INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX arrivals_of_commit ON arrivals (commit_n)',
    // The number that the next arrival gets at least: the newest rows may have been dropped, a number never returns.
    'CREATE TABLE arrival_floor (id INTEGER PRIMARY KEY CHECK (id = 1), n INTEGER NOT NULL) STRICT',
    `CREATE TABLE stores (
      id INTEGER PRIMARY KEY,
      db INTEGER NOT NULL,
      name TEXT NOT NULL,
      doc INTEGER NOT NULL CHECK (doc IN (0, 1)),
      UNIQUE (db, name, doc)
    ) STRICT`,
    `CREATE TABLE records (
      store INTEGER NOT NULL,
      hlc INTEGER NOT NULL,
      author TEXT NOT NULL,
      seq INTEGER NOT NULL,
      op INTEGER NOT NULL,
      n INTEGER NOT NULL,
      key TEXT,
      at INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (store, hlc, author, seq, op)
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX records_by_key ON records (store, key, hlc, author, seq, op) WHERE key IS NOT NULL',
    `CREATE TABLE latest (
      store INTEGER NOT NULL,
      key TEXT NOT NULL,
      hlc INTEGER NOT NULL,
      author TEXT NOT NULL,
      seq INTEGER NOT NULL,
      op INTEGER NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (store, key)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE registers (
      store INTEGER NOT NULL,
      path TEXT NOT NULL,
      hlc INTEGER NOT NULL,
      author TEXT NOT NULL,
      seq INTEGER NOT NULL,
      op INTEGER NOT NULL,
      value TEXT,
      PRIMARY KEY (store, path)
    ) STRICT, WITHOUT ROWID`,
    'CREATE TABLE cursors (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID',
    `CREATE TABLE quarantine (
      id INTEGER PRIMARY KEY,
      db INTEGER NOT NULL,
      author TEXT NOT NULL,
      seq INTEGER NOT NULL,
      hash TEXT NOT NULL,
      at INTEGER NOT NULL,
      body TEXT NOT NULL,
      UNIQUE (db, author, seq, hash)
    ) STRICT`,
    // Databases that were dropped here after this peer had written to them: coming back, they are written by a new author.
    'CREATE TABLE dropped_roots (root TEXT PRIMARY KEY, author TEXT NOT NULL) STRICT, WITHOUT ROWID',
    // How far each author's records of a searched table stand in the word index.
    `CREATE TABLE searched (
      store INTEGER NOT NULL,
      chain INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      PRIMARY KEY (store, chain)
    ) STRICT, WITHOUT ROWID`,
    `CREATE VIRTUAL TABLE words USING fts5 (
      place, body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
    )`,
  ],
};
