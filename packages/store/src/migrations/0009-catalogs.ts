import type { Migration } from './migration.ts';

/**
 * What this peer alone keeps of foreign tools and credentials. None of it leaves the peer.
 * - `catalogs`: what was approved of each tool of a source, an MCP server or a pinned plugin; tool `''` is the source's own instructions.
 *   `observation` and `definition` are the approved ones, null where none was; `offered_*` is what the source showed last where that is
 *   something else, null where it is the same or gone. `at`, wall clock, is when the state became what it is.
 * - `secrets`: sealed under the state directory's secret; `version` counts up, so that of two writers one learns that it came second.
 */
export const catalogs: Migration = {
  name: '0009-catalogs',
  statements: [
    `CREATE TABLE catalogs (
      source TEXT NOT NULL,
      tool TEXT NOT NULL,
      observation TEXT,
      definition TEXT,
      offered_observation TEXT,
      offered_definition TEXT,
      state TEXT NOT NULL CHECK (state IN ('approved', 'changed', 'new', 'gone')),
      approved_by TEXT,
      at INTEGER NOT NULL,
      PRIMARY KEY (source, tool)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE secrets (
      name TEXT PRIMARY KEY,
      version INTEGER NOT NULL,
      sealed BLOB NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
};
