import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@fairlead/base';
import { type Database, openPeer, openStore, type Peer, type Store } from '@fairlead/store';
import {
  type ManualClock,
  manualClock,
  type SeededRandom,
  seededRandom,
  temporaryFolder,
} from '@fairlead/testing';

/** One installation in a test. */
export interface HostFloor {
  readonly peer: Peer;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly random: SeededRandom;
  readonly folder: string;
  /** Closes peer and store; done by itself at the end of the test. */
  close(): Promise<void>;
}

/** A peer over a file in memory, on a clock that stands still at 2026-01-01T00:00:00Z. */
export async function hostFloor(
  t: { after(hook: () => unknown): void },
  options: { readonly seed?: number; readonly folder?: string } = {},
): Promise<HostFloor> {
  const folder = options.folder ?? memoryFolder(t);
  const clock = manualClock();
  const random = seededRandom(options.seed ?? 1);
  const store = await openStore({ path: join(folder, 'fairlead.db'), clock });
  const peer = await openPeer({ store, stateDirectory: folder, clock, random });
  const close = async () => {
    await peer.close();
    await store.close();
  };
  t.after(close);
  return { peer, store, clock, random, folder, close };
}

function memoryFolder(t: { after(hook: () => unknown): void }): string {
  if (!existsSync('/dev/shm')) return temporaryFolder(t);
  const folder = mkdtempSync('/dev/shm/fairlead-test-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Brings everything that a database offers to another peer, as it would cross a wire. */
export async function copyTo(to: HostFloor, from: Database): Promise<Database> {
  await to.peer.apply(from.root, JSON.parse(JSON.stringify(await from.since({}))) as Json[]);
  return await to.peer.open(from.root);
}
