import type { Migration } from './migration.ts';

/**
 * What a host knows of its extensions beside their logs; it never leaves the peer.
 * - `extension_failures`: why something does not run here. `scope` `install` is the extension as a whole; `next_try_ms`, wall clock, is
 *   null where only a reload tries again.
 * - `extension_outputs`: the status that an extension last published for a session, a row for each of its segments.
 */
export const extensionRows: Migration = {
  name: '0004-extension-rows',
  statements: [
    `CREATE TABLE extension_failures (
      name TEXT NOT NULL,
      scope TEXT NOT NULL CHECK (scope IN ('install', 'global', 'agent', 'session')),
      key TEXT NOT NULL,
      code TEXT NOT NULL,
      reason TEXT NOT NULL,
      tries INTEGER NOT NULL,
      next_try_ms INTEGER,
      PRIMARY KEY (name, scope, key)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE extension_outputs (
      session TEXT NOT NULL,
      extension TEXT NOT NULL,
      key TEXT NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (session, extension, key)
    ) STRICT, WITHOUT ROWID`,
  ],
};
