import assert from 'node:assert/strict';
import { temporaryFolder } from '@fairlead/testing';
import { type Program, startProgram } from './child-program.ts';
import { type Forged, verifyDatabase } from './forge.ts';
import { everything, overTheWire, peerTest } from './peer-fixture.ts';

/** In the product's own tests; a longer run asks for 200. */
const KILLS = Number(process.env['FAIRLEAD_KILLS'] ?? 50);

type Acknowledged = { readonly lane: string; readonly number: number; readonly id: string };

/** Lets a writer acknowledge so many writes, kills it, and gives every line that had come out by then. */
async function killAfter(
  writer: Program,
  writes: number,
): Promise<{ root: string; acknowledged: Acknowledged[]; run: string }> {
  assert.equal(await writer.line(), 'ready');
  writer.say('go');
  const root = await writer.line();
  const acknowledged: Acknowledged[] = [];
  const next = async () => {
    const [lane = '', number = '', id = ''] = (await writer.line()).split(' ');
    acknowledged.push({ lane, number: Number(number), id });
  };
  while (acknowledged.length < writes) await next();
  const killed = writer.kill();
  // What was acknowledged before the kill may still stand in the pipe.
  for (let ended = false; !ended; ) await next().catch(() => (ended = true));
  await killed;
  return { root, acknowledged, run: `${writer.child.pid}` };
}

peerTest(
  `a writer killed ${KILLS} times has lost nothing that it acknowledged, and nothing is there twice`,
  async (t, open) => {
    const folder = temporaryFolder(t);
    const compileCache = temporaryFolder(t);
    const all: Acknowledged[] = [];
    const last = new Map<string, Acknowledged>();
    let root = '';
    // The next one loads its program meanwhile; it opens nothing before it is told to.
    let coming = startProgram('write-commits.ts', [folder], { compileCache });
    for (let kill = 0; kill < KILLS; kill += 1) {
      const writer = coming;
      coming = startProgram('write-commits.ts', [folder], { compileCache });
      // A few writes, a few dozen, some hundred: at every length of the log's file and of the index behind it.
      const life = await killAfter(writer, 1 + ((kill * 37) % 160));
      assert.equal(root === '' || life.root === root, true);
      root = life.root;
      for (const one of life.acknowledged) {
        all.push(one);
        last.set(`${life.run} ${one.lane}`, one);
      }
    }
    await coming.kill();
    const { peer, store } = await open({ folder });
    const session = await peer.open(root);
    const kept = new Map<string, unknown>();
    for await (const { id, value } of session.table('entries').scan()) {
      assert.equal(kept.has(id), false, 'a record once');
      kept.set(id, value);
    }
    assert.deepEqual(
      all.filter(({ id, lane, number }) => {
        const value = kept.get(id) as { lane: string; number: number } | undefined;
        return value?.lane !== lane || value.number !== number;
      }),
      [],
    );
    // Each lane wrote its numbers one after the other: what is kept of it has no hole and nothing double.
    const lanes = Map.groupBy(
      kept.values() as Iterable<{ run: string; lane: string; number: number }>,
      ({ run, lane }) => `${run} ${lane}`,
    );
    for (const [lane, values] of lanes) {
      const numbers = values.map(({ number }) => number).toSorted((left, right) => left - right);
      assert.deepEqual(
        numbers,
        Array.from(numbers, (_, index) => index),
        lane,
      );
      assert.equal(numbers.length >= (last.get(lane)?.number ?? 0) + 1, true);
    }
    // Rows of the peer alone are there exactly where their records are.
    const rows = await store.read<{ name: string }>('SELECT name FROM cursors');
    const together = [...kept]
      .filter(([, value]) => (value as { number: number }).number % 5 === 4)
      .map(([id]) => id);
    assert.deepEqual(rows.map(({ name }) => name).toSorted(), together.toSorted());
    const documents = Object.values(
      (await session.doc('meta').get()) as Record<string, Record<string, number>>,
    );
    assert.equal(
      documents.flatMap(Object.values).every((number) => number % 5 === 4),
      true,
    );
    assert.deepEqual((await store.read<object>('PRAGMA integrity_check')).flatMap(Object.values), ['ok']);
    verifyDatabase(root, overTheWire(await everything(session)).slice(0, 400) as unknown as Forged[]);
  },
  { timeout: 900_000 },
);
