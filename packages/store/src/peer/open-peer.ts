import { join } from 'node:path';
import type { Clock, Random } from '@fairlead/base';
import { PublicKeys } from '../log/keys.ts';
import { logOf } from '../sqlite/log-of.ts';
import type { Store } from '../store.ts';
import { IdentityFiles } from './open-identity.ts';
import { OpenPeer, type Peer } from './peer.ts';
import { PeerCore } from './peer-core.ts';
import type { Report } from './report.ts';

/**
 * Opens the replicated databases that live in an open store. `stateDirectory` holds `peer.key` and `author.key` (made when
 * absent, mode 0600) beside the store's file, `fairlead.db` unless `databaseFile` names another. The caller holds the folder's
 * lock, and closes the peer before the store. Rejects with `key_file_invalid` or a code of the store.
 */
export async function openPeer(options: {
  readonly store: Store;
  readonly stateDirectory: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly report?: Report;
  readonly databaseFile?: string;
}): Promise<Peer> {
  const { store, stateDirectory, clock, random, report = () => undefined } = options;
  const engine = logOf(store);
  await engine.finishDrops();
  const databasePath = join(stateDirectory, options.databaseFile ?? 'fairlead.db');
  const files = new IdentityFiles({ stateDirectory, databasePath, random });
  const { identity, minted } = files.open(engine.lastArrival());
  if (minted !== null) report({ code: 'author_minted', author: identity.author.id, why: minted });
  const core = new PeerCore({ engine, clock, random, keys: new PublicKeys(), report, identity });
  return new OpenPeer(core, files);
}
