// Makes sessions in a store below the folder that it is given, opens all of them, and prints by how many bytes its resident memory
// grew for each. In a process of its own: one that has done other work has room for them already. Needs --expose-gc.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@fairlead/base';
import { type Database, openPeer, openStore } from '@fairlead/store';

const SESSIONS = 1_000;
const ENTRIES = 20;

const stateDirectory = join(process.argv[2] ?? '.', 'state');
mkdirSync(stateDirectory, { mode: 0o700 });
const clock = systemClock();
await using store = await openStore({ path: join(stateDirectory, 'fairlead.db'), clock });
await using peer = await openPeer({ store, stateDirectory, clock, random: systemRandom() });
const roots: string[] = [];
for (let index = 0; index < SESSIONS; index += 1) {
  const root = await peer.transaction((tx) =>
    tx.create('session', (begun) => {
      begun.set('meta', ['name'], `session ${index}`);
      for (let entry = 0; entry < ENTRIES; entry += 1)
        begun.append('entries', { text: `entry ${entry} of ${index}` });
    }),
  );
  (await peer.open(root)).release();
  roots.push(root);
}

/** What is left once the collector has run: it gives back what making the sessions took. */
function residentBytes(): number {
  for (let times = 0; times < 3; times += 1) globalThis.gc?.();
  return process.memoryUsage.rss();
}

const before = residentBytes();
const open: Database[] = [];
for (const root of roots) {
  const database = await peer.open(root);
  await database.table('entries').tail(10);
  await database.doc('meta').get();
  open.push(database);
}
console.log(String(Math.max(0, residentBytes() - before) / open.length));
