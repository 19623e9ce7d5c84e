import type { Migration } from './migration.ts';

/**
 * What this peer alone knows of the extensions that it loads from folders. `at` is milliseconds since 1970 by the wall clock.
 * - `folder_manifests`: what the extension of a folder said of itself when it was loaded last, as JSON; its gate stands by it while it
 *   does not load. `digest` is that of the folder's files then.
 */
export const folderManifests: Migration = {
  name: '0014-folder-manifests',
  statements: [
    `CREATE TABLE folder_manifests (
      folder TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      digest TEXT NOT NULL,
      manifest TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT`,
  ],
};
