import type { Migration } from './migration.ts';

/**
 * What this peer alone knows of its sessions: what waits to be answered, what runs, who was asked. None of it leaves the peer. Times are
 * milliseconds since 1970 by the wall clock; `boot` is the start that wrote the row.
 * - `wakes`: one row for each agent that an entry wakes; `seq` is the order they came in. `turn` takes them; `parent` is a directive's.
 * - `turns`: `ack` is the entry that began it; `root` the turn that began it all, `parent` the one that spawned it.
 * - `approvals`: `shown` is what a person was shown, JSON.
 * - `session_local`: the session's folder on this machine. A session that has no row is new here; `arrived` = for each author how many
 *   of its commits were judged as one when it came from another peer, JSON.
 * - `posted`: which entry a client's key stands for, so that a request that is sent again finds what it made.
 * - `agent_seed`: the value of `fairlead.toml` that was written last, canonical JSON; null where the file had none any more.
 * - `journal.result_owed`: 1 = the session has an entry for this call and none for its end. `text` = what is to stand there.
 */
export const sessions: Migration = {
  name: '0006-sessions',
  statements: [
    `CREATE TABLE wakes (
      seq INTEGER PRIMARY KEY,
      session TEXT NOT NULL,
      entry TEXT NOT NULL,
      agent TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('message', 'directive')),
      parent TEXT,
      state TEXT NOT NULL CHECK (state IN ('pending', 'taken', 'done', 'ignored')),
      reason TEXT,
      turn TEXT,
      UNIQUE (session, entry, agent)
    ) STRICT`,
    // What waits is little; what was answered is looked for by turn or not at all.
    `CREATE INDEX wakes_pending ON wakes (session, seq) WHERE state = 'pending'`,
    `CREATE INDEX wakes_of_turn ON wakes (turn) WHERE state = 'taken'`,
    `CREATE TABLE turns (
      seq INTEGER PRIMARY KEY,
      turn TEXT NOT NULL UNIQUE,
      session TEXT NOT NULL,
      agent TEXT NOT NULL,
      root TEXT NOT NULL,
      parent TEXT,
      boot TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('running', 'completed', 'silent', 'failed', 'cancelled', 'interrupted', 'ceiling')),
      slot TEXT,
      ack TEXT NOT NULL
    ) STRICT`,
    // One turn of a session at a time.
    `CREATE UNIQUE INDEX turns_running ON turns (session) WHERE state = 'running'`,
    `CREATE TABLE approvals (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      principal TEXT NOT NULL,
      target TEXT NOT NULL,
      digest TEXT NOT NULL,
      session TEXT,
      turn TEXT,
      call TEXT NOT NULL,
      tool TEXT NOT NULL,
      risk TEXT NOT NULL,
      shown TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('open', 'approved', 'denied', 'expired', 'cancelled', 'used')),
      rule TEXT,
      opened_at INTEGER NOT NULL,
      decided_at INTEGER,
      decided_by TEXT,
      used_by TEXT,
      boot TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX approvals_waiting ON approvals (principal, target, digest) WHERE state IN ('open', 'approved', 'denied')`,
    `CREATE TABLE session_local (
      session TEXT PRIMARY KEY,
      workspace TEXT,
      last_at INTEGER NOT NULL,
      arrived TEXT
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE posted (
      session TEXT NOT NULL,
      key TEXT NOT NULL,
      entry TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (session, key)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE agent_seed (
      agent TEXT NOT NULL,
      field TEXT NOT NULL,
      value TEXT,
      PRIMARY KEY (agent, field)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE host_state (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    'ALTER TABLE journal ADD COLUMN session TEXT',
    'ALTER TABLE journal ADD COLUMN turn TEXT',
    'ALTER TABLE journal ADD COLUMN extension TEXT',
    'ALTER TABLE journal ADD COLUMN tier TEXT',
    'ALTER TABLE journal ADD COLUMN target TEXT',
    'ALTER TABLE journal ADD COLUMN text TEXT',
    'ALTER TABLE journal ADD COLUMN result_owed INTEGER NOT NULL DEFAULT 0 CHECK (result_owed IN (0, 1))',
    // Looked through once, at start. A call of no session never gets into it.
    'CREATE INDEX journal_owed ON journal (seq) WHERE result_owed = 1',
  ],
};
