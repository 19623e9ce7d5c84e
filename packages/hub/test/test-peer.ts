import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Json } from '@fairlead/base';
import { type Database, openPeer, openStore, type Peer, type Store } from '@fairlead/store';
import { type ManualClock, manualClock, seededRandom, temporaryFolder } from '@fairlead/testing';
import type { HubReport } from '../src/report.ts';

/** One installation in a test. */
export interface TestPeer {
  readonly peer: Peer;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly folder: string;
  readonly reports: HubReport[];
  readonly report: (report: HubReport) => void;
  /** Closes peer and store; done by itself at the end of the test. */
  close(): Promise<void>;
}

export const DAY_MS = 86_400_000;
export const START_MS = Date.UTC(2026, 0, 1);

/** A peer of its own, its clock off by `skewMs`. */
export async function testPeer(
  t: TestContext,
  options: { readonly seed: number; readonly skewMs?: number; readonly folder?: string },
): Promise<TestPeer> {
  const folder = options.folder ?? memoryFolder(t);
  const clock = manualClock({ startWallMs: START_MS + (options.skewMs ?? 0) });
  const store = await openStore({ path: join(folder, 'fairlead.db'), clock });
  const peer = await openPeer({ store, stateDirectory: folder, clock, random: seededRandom(options.seed) });
  const reports: HubReport[] = [];
  const close = async () => {
    await peer.close();
    await store.close();
  };
  t.after(close);
  return { peer, store, clock, folder, reports, report: (line) => void reports.push(line), close };
}

/** A folder in memory where the machine has one: many runs need not wait for the disk. */
export function memoryFolder(t: TestContext): string {
  if (!existsSync('/dev/shm')) return temporaryFolder(t);
  const folder = mkdtempSync('/dev/shm/fairlead-test-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Brings everything that a database offers to another peer, as it would cross a wire. */
export async function copyTo(to: TestPeer, from: Database): Promise<Database> {
  await to.peer.apply(from.root, JSON.parse(JSON.stringify(await from.since({}))) as Json[]);
  return await to.peer.open(from.root);
}
