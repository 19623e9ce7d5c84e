import { peerLocal } from './0001-peer-local.ts';
import { commitLog } from './0002-commit-log.ts';
import { settlement } from './0003-settlement.ts';
import { extensionRows } from './0004-extension-rows.ts';
import { usage } from './0005-usage.ts';
import { sessions } from './0006-sessions.ts';
import { routines } from './0007-routines.ts';
import { turnsOfASession } from './0008-turns-of-a-session.ts';
import { catalogs } from './0009-catalogs.ts';
import { memory } from './0010-memory.ts';
import { skills } from './0011-skills.ts';
import { readsApart } from './0012-reads-apart.ts';
import { openApprovals } from './0013-open-approvals.ts';
import { folderManifests } from './0014-folder-manifests.ts';
import type { Migration } from './migration.ts';

/** Every migration of the product's database, oldest first. */
export const migrations: readonly Migration[] = [
  peerLocal,
  commitLog,
  settlement,
  extensionRows,
  usage,
  sessions,
  routines,
  turnsOfASession,
  catalogs,
  memory,
  skills,
  readsApart,
  openApprovals,
  folderManifests,
];
