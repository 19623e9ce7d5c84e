import { join } from 'node:path';
import type { Json, JsonObject } from '@fairlead/base';
import { openPeer, openStore, type Peer } from '@fairlead/store';
import { type ManualClock, manualClock, seededRandom } from '@fairlead/testing';
import { type Forged, Forger, forgeKey } from '../../../packages/store/test/forge.ts';
import { scratchFolder } from '../scratch-folder.ts';

const START_MS = Date.UTC(2026, 0, 1);
const clockAt = (ms: number) => (START_MS + ms) * 1_024;

/** A session of two writers, made of fixed keys, so that what is kept of it stays good. */
export type History = {
  readonly root: string;
  /** What a peer has before an input comes. */
  readonly known: readonly Forged[];
  /** What follows it, signed and chained. */
  readonly next: readonly Forged[];
  /** The key of a peer that may read and write there. */
  readonly writer: Forger;
};

export function fixedHistory(): History {
  const admin = new Forger(forgeKey(31), forgeKey(32));
  const writer = new Forger(forgeKey(33), forgeKey(34));
  const set = (doc: string, path: readonly string[], value: Json): JsonObject => ({
    op: 'set',
    doc,
    path: [...path],
    value,
  });
  const grant = (peer: string, value: JsonObject) => set('_settings', ['peers', peer], value);
  const { root, commit } = admin.begin(
    'session',
    'ses_',
    clockAt(0),
    [grant(writer.peer.id, { role: 'write' })],
    Buffer.alloc(32, 9),
  );
  const by = (hand: Forger, ms: number, ops: readonly Json[], settings = 1) =>
    hand.write(ops, { database: root, hlc: clockAt(ms), settings: [admin.author.id, settings] });
  const append = (value: Json): JsonObject => ({ op: 'append', table: 'entries', value });
  const known = [
    commit,
    by(admin, 1, [append('one'), set('meta', ['title'], 'T')]),
    by(writer, 2, [writer.authorOp(), append({ by: 'writer' })]),
  ];
  const next = [
    by(writer, 3, [append('two'), { op: 'put', table: 'extensions', key: 'k', value: { on: true } }]),
    by(writer, 4, [set('meta', ['a', 'b'], [1, null, true]), { op: 'clear', doc: 'meta', path: ['title'] }]),
    by(admin, 5, [grant(writer.peer.id, { role: 'none', cuts: { [writer.author.id]: 2 } })]),
    by(admin, 6, [append('three')], 3),
  ];
  return { root, known, next, writer };
}

/** A peer in a folder of its own. */
export type ScratchPeer = { readonly peer: Peer; readonly clock: ManualClock; close(): Promise<void> };

export async function scratchPeer(): Promise<ScratchPeer> {
  const folder = scratchFolder();
  const clock = manualClock({ startWallMs: START_MS });
  const store = await openStore({ path: join(folder.path, 'fairlead.db'), clock });
  const peer = await openPeer({ store, stateDirectory: folder.path, clock, random: seededRandom(1) });
  return {
    peer,
    clock,
    close: async () => {
      await peer.close();
      await store.close();
      folder.remove();
    },
  };
}

/** Everything that a database shows, as one text. */
export async function shown(peer: Peer, root: string): Promise<string> {
  const database = await peer.open(root);
  const entries: unknown[] = [];
  for await (const row of database.table('entries').scan()) entries.push(row.value);
  const extensions = await database.latest('extensions').get('k');
  return JSON.stringify([
    database.version(),
    entries,
    extensions ?? null,
    await database.doc('meta').get(),
    database.access.list(),
  ]);
}
