import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@fairlead/base';
import { readActive } from '@fairlead/hub';
import { openPeer, openStore, type Peer } from '@fairlead/store';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { interleave } from '../harness/interleave.ts';
import { ratioRow } from '../harness/row.ts';

const SHORT_ENTRIES = 100;
const LONG_ENTRIES = 100_000;
const ENTRIES_A_COMMIT = 20;
const SHORT_EVENTS = 10;
const LONG_EVENTS = 1_000_000;
const EXTENSIONS = 10;
const OPENINGS_A_ROUND = 5;

export const storeOpen: Bench = {
  name: 'open',
  title: 'opening a session and reading its newest entries, and its active set, however long the log is',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const peer = await openBenchPeer(context, stack);
    const short = await sessionOf(peer, context.quick ? 100 : SHORT_ENTRIES);
    const long = await sessionOf(peer, context.quick ? 5_000 : LONG_ENTRIES);
    const few = await eventsOf(peer, SHORT_EVENTS);
    const many = await eventsOf(peer, context.quick ? 20_000 : LONG_EVENTS);
    const measured = await interleave(
      [
        {
          unit: 'µs',
          round: async () => ({ [`${SHORT_ENTRIES} entries`]: await openings(peer, short, newest) }),
        },
        {
          unit: 'µs',
          round: async () => ({ [`${LONG_ENTRIES} entries`]: await openings(peer, long, newest) }),
        },
        {
          unit: 'µs',
          round: async () => ({ [`${SHORT_EVENTS} events`]: await openings(peer, few, activeSet) }),
        },
        {
          unit: 'µs',
          round: async () => ({ [`${LONG_EVENTS} events`]: await openings(peer, many, activeSet) }),
        },
      ],
      context.plan(40, 4, 3),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow(
          'open a long session and read 50 entries, against a short one',
          measured[`${LONG_ENTRIES} entries`],
          measured[`${SHORT_ENTRIES} entries`],
          3,
        ),
        ratioRow(
          'open and read the active set of a long log, against a short one',
          measured[`${LONG_EVENTS} events`],
          measured[`${SHORT_EVENTS} events`],
          2,
        ),
      ],
    };
  },
};

async function openBenchPeer(context: BenchContext, stack: AsyncDisposableStack): Promise<Peer> {
  const stateDirectory = join(context.folder, 'state');
  await mkdir(stateDirectory, { mode: 0o700 });
  const clock = systemClock();
  const store = stack.use(await openStore({ path: join(stateDirectory, 'fairlead.db'), clock }));
  return stack.use(await openPeer({ store, stateDirectory, clock, random: systemRandom() }));
}

async function sessionOf(peer: Peer, entries: number): Promise<string> {
  const session = await peer.create('session');
  for (let done = 0; done < entries; done += ENTRIES_A_COMMIT)
    await session.commit((tx) => {
      for (let index = done; index < Math.min(done + ENTRIES_A_COMMIT, entries); index += 1)
        tx.append('entries', {
          type: 'message',
          at: index,
          text: `${index} ${'lorem ipsum dolor sit amet '.repeat(15)}`,
        });
    });
  return session.root;
}

/** Switches of ten extensions, on and off again, so that both logs fold to sets of one size. */
async function eventsOf(peer: Peer, events: number): Promise<string> {
  const session = await peer.create('session');
  const eventsACommit = 400;
  for (let done = 0; done < events; done += eventsACommit)
    await session.commit((tx) => {
      for (let index = done; index < Math.min(done + eventsACommit, events); index += 1) {
        const name = `extension-${index % EXTENSIONS}`;
        const extension_ref = { kind: 'builtin', name, version: '1.0.0' };
        tx.put('extensions', name, { kind: 'activated', name, extension_ref, timestamp_ms: index });
      }
    });
  return session.root;
}

async function newest(peer: Peer, root: string): Promise<void> {
  const session = await peer.open(root);
  const { rows } = await session.table('entries').tail(50);
  if (rows.length !== 50) throw new Error(`${rows.length} entries`);
  session.release();
}

async function activeSet(peer: Peer, root: string): Promise<void> {
  const session = await peer.open(root);
  const { size } = await readActive(session);
  if (size !== EXTENSIONS) throw new Error(`${size} extensions`);
  session.release();
}

async function openings(
  peer: Peer,
  root: string,
  read: (peer: Peer, root: string) => Promise<void>,
): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < OPENINGS_A_ROUND; index += 1) {
    const startedMs = performance.now();
    await read(peer, root);
    samples.push((performance.now() - startedMs) * 1_000);
  }
  return samples;
}
