import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@fairlead/base';
import { type Database, openPeer, openStore } from '@fairlead/store';
import type { Bench } from '../harness/bench.ts';
import { measurementOf } from '../harness/measurement.ts';
import { ratioRow } from '../harness/row.ts';

const SESSIONS = 1_000;
const MAX_MIB_A_SESSION = 100 / 1_024;

export const storeMemory: Bench = {
  name: 'sessions',
  title: 'resident memory of open sessions',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const stateDirectory = join(context.folder, 'state');
    await mkdir(stateDirectory, { mode: 0o700 });
    const clock = systemClock();
    const store = stack.use(await openStore({ path: join(stateDirectory, 'fairlead.db'), clock }));
    const peer = stack.use(await openPeer({ store, stateDirectory, clock, random: systemRandom() }));
    const roots: string[] = [];
    for (let index = 0; index < SESSIONS; index += 1) {
      const root = await peer.transaction((tx) =>
        tx.create('session', (begun) => {
          begun.set('meta', ['name'], `session ${index}`);
          for (let entry = 0; entry < 20; entry += 1)
            begun.append('entries', { text: `entry ${entry} of ${index}` });
        }),
      );
      (await peer.open(root)).release();
      roots.push(root);
    }
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    const open: Database[] = [];
    for (const root of roots) open.push(await readOnce(await peer.open(root)));
    const after = process.memoryUsage.rss();
    const each = Math.max(0, after - before) / open.length / 1_048_576;
    const measured = measurementOf('one open session', 'MiB', [[each]]);
    const most = measurementOf('100 KiB', 'MiB', [[MAX_MIB_A_SESSION]]);
    return {
      measurements: [measured],
      rows: [ratioRow('one of 1,000 open sessions, against 100 KiB', measured, most, 1)],
    };
  },
};

async function readOnce(database: Database): Promise<Database> {
  await database.table('entries').tail(10);
  await database.doc('meta').get();
  return database;
}
