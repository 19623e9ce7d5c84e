import assert from 'node:assert/strict';
import type { Json } from '@fairlead/base';
import fc from 'fast-check';
import type { Peer } from '../src/index.ts';
import type { Forged } from './forge.ts';
import { type History, step, writeHistory } from './history.ts';
import { memoryFolder, peerTest } from './peer-fixture.ts';

/** Everything that can be read of a database. */
async function picture(peer: Peer, root: string): Promise<unknown> {
  const database = await peer.open(root);
  const rows = async (table: string) =>
    (await database.table(table).tail(1_000)).rows.map(({ id, value, hlc }) => [id, value, hlc]);
  return {
    entries: await rows('entries'),
    history: await rows('extensions'),
    latest: (await database.latest('extensions').all()).map(({ key, value, id }) => [key, value, id]),
    meta: await database.doc('meta').get(),
    settings: await database.doc('_settings').get(),
    rights: database.access
      .list()
      .map(({ peer: whom, role }) => [whom, role])
      .toSorted(),
    version: database.version(),
  };
}

/** Hands over everything in pieces of any size, in any order and some of it twice, until nothing is missing. */
async function deliver(peer: Peer, { root, commits }: History, draw: (limit: number) => number) {
  const taken = new Set<string>();
  for (let pass = 0; taken.size < commits.length; pass += 1) {
    assert.equal(pass < 40, true, 'deliveries come to an end');
    const left = [...commits, ...commits.slice(0, draw(commits.length))];
    while (left.length > 0) {
      const piece: Forged[] = [];
      for (let size = 1 + draw(6); size > 0 && left.length > 0; size -= 1)
        piece.push(...left.splice(draw(left.length), 1));
      const { refused } = await peer.apply(root, piece as unknown as Json[]);
      const missing = new Set(refused.filter(({ code }) => code !== 'commit_denied').map(nameOf));
      for (const { header } of piece) {
        const name = nameOf({ author: String(header['author']), seq: Number(header['seq']) });
        if (!missing.has(name)) taken.add(name);
      }
    }
  }
}

function nameOf({ author, seq }: { readonly author: string; readonly seq: number }): string {
  return `${author}:${seq}`;
}

peerTest(
  'any order, duplicates, gaps, skewed clocks, revoked peers: every replica shows the same',
  async (t, open) => {
    const [inOrder, inAnyOrder] = [
      await open({ folder: memoryFolder(t) }),
      await open({ folder: memoryFolder(t) }),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 11 }),
        fc.infiniteStream(fc.nat()),
        async (steps, numbers) => {
          const history = writeHistory(steps);
          const draw = (limit: number) => (limit === 0 ? 0 : (numbers.next().value ?? 0) % limit);
          await inOrder.peer.apply(history.root, history.commits as unknown as Json[]);
          await deliver(inAnyOrder.peer, history, draw);
          const expected = await picture(inOrder.peer, history.root);
          assert.deepEqual(await picture(inAnyOrder.peer, history.root), expected);
          // What a state in memory says is what the next start reads.
          (await inAnyOrder.peer.open(history.root)).release();
          assert.deepEqual(await picture(inAnyOrder.peer, history.root), expected);
          for (const { peer } of [inOrder, inAnyOrder]) (await peer.open(history.root)).release();
        },
      ),
      { numRuns: Number(process.env['FAIRLEAD_PROPERTY_RUNS'] ?? 2_000) },
    );
  },
);
