import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { Clock, Json, Random } from '@fairlead/base';
import { hygiene, type ManualClock, manualClock, seededRandom, temporaryFolder } from '@fairlead/testing';
import type { Commit, Database, Peer, Store, StoreReport } from '../src/index.ts';
import { openPeer } from '../src/index.ts';
import { engines, type TestEngine } from './engines.ts';

/** One installation in a test. */
export type TestPeer = {
  readonly peer: Peer;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly folder: string;
  readonly reports: StoreReport[];
  /** Closes peer and store; done by itself at the end of the test. */
  close(): Promise<void>;
};

type PeerOptions = {
  readonly folder?: string;
  readonly clock?: ManualClock;
  readonly random?: Random;
  /** How far the wall clock is off. */
  readonly skewMs?: number;
};

/** Opens peers of one engine for one test. */
export type OpenTestPeer = (options?: PeerOptions) => Promise<TestPeer>;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const START_MS = Date.UTC(2026, 0, 1);

/** Registers a test for every engine. */
export function peerTest(
  name: string,
  run: (t: TestContext, open: OpenTestPeer) => Promise<void>,
  options: { readonly timeout?: number } = {},
): void {
  for (const engine of engines)
    test(`${name} (${engine.name})`, options, (t) => {
      hygiene(t);
      return run(t, peersOf(t, engine));
    });
}

function peersOf(t: TestContext, engine: TestEngine): OpenTestPeer {
  let seed = 1;
  return async (options = {}) => {
    const folder = options.folder ?? temporaryFolder(t);
    const clock = options.clock ?? manualClock({ startWallMs: START_MS + (options.skewMs ?? 0) });
    const random = options.random ?? seededRandom(seed);
    seed += 1;
    return await openTestPeer(t, { engine, folder, clock, random });
  };
}

async function openTestPeer(
  t: TestContext,
  by: {
    readonly engine: TestEngine;
    readonly folder: string;
    readonly clock: ManualClock;
    readonly random: Random;
  },
): Promise<TestPeer> {
  const { engine, folder, clock, random } = by;
  const store = await engine.open(folder, clock);
  const reports: StoreReport[] = [];
  const report = (line: StoreReport) => void reports.push(line);
  const peer = await openPeer({ store, stateDirectory: folder, clock: clock as Clock, random, report });
  const close = async () => {
    await peer.close();
    await store.close();
  };
  t.after(close);
  return { peer, store, clock, folder, reports, close };
}

/** A folder in memory where the machine has one: a property's many runs need not wait for the disk. */
export function memoryFolder(t: TestContext): string {
  if (!existsSync('/dev/shm')) return temporaryFolder(t);
  const folder = mkdtempSync('/dev/shm/fairlead-test-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Everything that a database offers, as it would cross a wire. */
export async function everything(database: Database): Promise<Commit[]> {
  return await database.since({});
}

/** What others would receive: plain JSON. */
export function overTheWire(commits: readonly Commit[]): Json[] {
  return JSON.parse(JSON.stringify(commits)) as Json[];
}

/** Brings everything that `from` offers to `to`. */
export async function copyTo(to: TestPeer, from: Database): Promise<Database> {
  await to.peer.apply(from.root, overTheWire(await everything(from)));
  return await to.peer.open(from.root);
}

/** The texts of a table, oldest first. */
export async function texts(database: Database, table = 'entries'): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of database.table(table).scan()) rows.push(row.value);
  return rows;
}
