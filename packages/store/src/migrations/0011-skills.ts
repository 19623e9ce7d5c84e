import type { Migration } from './migration.ts';

/**
 * What this peer alone knows of skills. Times are milliseconds since 1970 by the wall clock.
 * - `skill_pins`: the digests that somebody read and trusted, by the skill's name.
 * - `skill_installs`: what was installed here: from where, at which commit, and the digest that it had then. `revision` is null for a folder.
 */
export const skills: Migration = {
  name: '0011-skills',
  statements: [
    `CREATE TABLE skill_pins (
      name TEXT NOT NULL,
      digest TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (name, digest)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE skill_installs (
      name TEXT PRIMARY KEY,
      source TEXT NOT NULL,
      ref TEXT,
      revision TEXT,
      digest TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
};
