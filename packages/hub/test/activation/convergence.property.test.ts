import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError, type Json } from '@fairlead/base';
import type { ExtensionRef } from '@fairlead/extension/runtime';
import type { Commit, Database } from '@fairlead/store';
import { hygiene } from '@fairlead/testing';
import fc from 'fast-check';
import { readEvent } from '../../src/activation/activation-event.ts';
import { effectiveSet, readActive, readOptOuts } from '../../src/activation/active-set.ts';
import { recordActive } from '../../src/activation/record-active.ts';
import { activate, deactivate } from '../../src/activation/switch.ts';
import { DAY_MS, type TestPeer, testPeer } from '../test-peer.ts';

const NAMES = ['fs', 'web', 'memory'] as const;
const LOGS = ['session', 'agent'] as const;
/** A day behind, right, a day ahead, years ahead. */
const CLOCKS_MS = [-DAY_MS, 0, DAY_MS, 3_000 * DAY_MS];

type LogName = (typeof LOGS)[number];

/** What somebody does next, without asking whether the others know. */
type Step =
  | { readonly do: 'on' | 'off' | 'junk'; readonly who: number; readonly log: LogName; readonly name: string }
  | { readonly do: 'record'; readonly who: number; readonly version: number }
  | { readonly do: 'clock'; readonly who: number; readonly byMs: number }
  | { readonly do: 'send'; readonly who: number; readonly to: number; readonly log: LogName }
  | { readonly do: 'revoke'; readonly whom: number; readonly back: number; readonly log: LogName };

const peerNumber = fc.nat({ max: 2 });
const log = fc.constantFrom(...LOGS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('on' as const, 'off' as const),
      who: peerNumber,
      log,
      name: fc.constantFrom(...NAMES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('junk' as const),
      who: peerNumber,
      log,
      name: fc.constantFrom(...NAMES),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('record' as const),
      who: peerNumber,
      version: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('clock' as const),
      who: peerNumber,
      byMs: fc.constantFrom(...CLOCKS_MS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('send' as const), who: peerNumber, to: peerNumber, log }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('revoke' as const),
      whom: fc.integer({ min: 1, max: 2 }),
      back: fc.nat({ max: 2 }),
      log,
    }),
  },
);

const refOf = (name: string, version: string): ExtensionRef => ({ kind: 'builtin', name, version });

/** Both databases as one peer has them. */
type Copies = { readonly [Name in LogName]: Database };

async function copiesOf({ peer }: TestPeer, roots: { readonly [Name in LogName]: string }): Promise<Copies> {
  return { session: await peer.open(roots.session), agent: await peer.open(roots.agent) };
}

async function take(to: TestPeer, root: string, commits: readonly Commit[]): Promise<void> {
  await to.peer.apply(root, JSON.parse(JSON.stringify(commits)) as Json[]);
}

/** Lets one of them do a step. Who has no right any more, and knows it, is refused. */
async function act(peers: readonly TestPeer[], copies: readonly Copies[], next: Step): Promise<void> {
  const who = next.do === 'revoke' ? 0 : next.who;
  const [here, mine] = [peers[who], copies[who]];
  assert.ok(here !== undefined && mine !== undefined);
  const { clock, peer } = here;
  try {
    switch (next.do) {
      case 'on':
        return await activate(mine[next.log], { name: next.name, ref: refOf(next.name, `${who}`) }, clock);
      case 'off':
        return await deactivate(mine[next.log], next.name, clock);
      case 'junk':
        return void (await mine[next.log].latest('extensions').put(next.name, { kind: 'junk', by: who }));
      case 'record': {
        const installed = NAMES.map((name) => ({ name, ref: refOf(name, `${next.version}`) }));
        return void (await recordActive(mine.session, installed, { peerId: peer.peerId, clock }));
      }
      case 'clock':
        return clock.jumpWall(next.byMs);
      case 'send': {
        const to = peers[next.to];
        const theirs = copies[next.to];
        assert.ok(to !== undefined && theirs !== undefined);
        const commits = await mine[next.log].since(theirs[next.log].version());
        return await take(to, mine[next.log].root, commits);
      }
      case 'revoke': {
        const whom = peers[next.whom]?.peer;
        assert.ok(whom !== undefined);
        const known = mine[next.log].version()[whom.author] ?? 0;
        const cuts = { [whom.author]: Math.max(0, known - next.back) };
        return await mine[next.log].access.revoke(whom.peerId, { cuts });
      }
    }
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'access_denied') throw error;
  }
}

/** Hands over everything that anybody wrote, in pieces, in any order and some of it twice, until nothing is missing. */
async function deliver(
  to: TestPeer,
  { root, commits }: { readonly root: string; readonly commits: readonly Commit[] },
  draw: (limit: number) => number,
): Promise<void> {
  let left = [...commits, ...commits.slice(0, draw(commits.length))];
  for (let pass = 0; left.length > 0; pass += 1) {
    assert.ok(pass < 40, 'deliveries come to an end');
    const again: Commit[] = [];
    while (left.length > 0) {
      const piece: Commit[] = [];
      for (let size = 1 + draw(8); size > 0 && left.length > 0; size -= 1)
        piece.push(...left.splice(draw(left.length), 1));
      const { refused } = await to.peer.apply(root, JSON.parse(JSON.stringify(piece)) as Json[]);
      for (const { author, seq, code } of refused)
        if (code !== 'commit_denied')
          again.push(...piece.filter(({ header }) => header.author === author && header.seq === seq));
    }
    left = again;
  }
}

/** What the log says, read from its whole history and by no other means. */
async function foldByHand(database: Database): Promise<ReadonlyMap<string, string>> {
  const rows = [];
  for await (const row of database.table('extensions').scan()) rows.push(row);
  const folded = new Map<string, string>();
  for (const name of NAMES) {
    const newest = rows.findLast(({ key }) => key === name);
    if (newest === undefined) continue;
    const event = readEvent(name, newest.value);
    folded.set(name, event?.kind === 'activated' ? JSON.stringify(event.ref) : 'off');
  }
  return folded;
}

async function picture({ session, agent }: Copies) {
  return {
    active: [...(await readActive(session))].map(([name, ref]) => [name, ref]).toSorted(),
    off: [...(await readOptOuts(agent))].toSorted(),
    effective: [...(await effectiveSet({ session, agent })).keys()].toSorted(),
  };
}

test('peers with wrong clocks, cut off from each other, revoked, whatever arrives when: all fold to one active set', async (t) => {
  hygiene(t);
  const started = performance.now();
  const writers = [
    await testPeer(t, { seed: 1 }),
    await testPeer(t, { seed: 2, skewMs: DAY_MS }),
    await testPeer(t, { seed: 3, skewMs: -DAY_MS }),
  ];
  // It writes nothing, knows nobody, and gets only the databases.
  const reader = await testPeer(t, { seed: 4 });
  const [first] = writers;
  assert.ok(first !== undefined);
  const grants = Object.fromEntries(writers.slice(1).map(({ peer }) => [peer.peerId, 'write' as const]));
  let runs = 0;
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 3, maxLength: 10 }),
    fc.infiniteStream(fc.nat()),
    async (steps, numbers) => {
      runs += 1;
      const draw = (limit: number) => (limit === 0 ? 0 : (numbers.next().value ?? 0) % limit);
      const session = await first.peer.create('session', undefined, { grants });
      const agent = await first.peer.create('agent', undefined, { grants });
      const roots = { session: session.root, agent: agent.root };
      for (const writer of writers.slice(1))
        for (const database of [session, agent]) await take(writer, database.root, await database.since({}));
      const copies = await Promise.all(writers.map((writer) => copiesOf(writer, roots)));
      const before = writers.map(({ clock }) => clock.wallMs());
      for (const next of steps) await act(writers, copies, next);
      for (const [index, { clock }] of writers.entries())
        clock.jumpWall((before[index] ?? 0) - clock.wallMs());
      // Now and then all of them meet again; else one of them does, which is as good a witness and leaves time for more runs.
      const all = writers.map((writer, index) => ({ writer, copy: copies[index] as Copies }));
      const met = draw(5) === 0 ? all : all.slice(draw(3)).slice(0, 1);
      for (const name of LOGS) {
        const root = roots[name];
        const written = new Map<string, Commit>();
        for (const copy of copies)
          for (const commit of await copy[name].since({}))
            written.set(`${commit.header.author}:${commit.header.seq}`, commit);
        const commits = [...written.values()];
        for (const peer of [...met.map(({ writer }) => writer), reader])
          await deliver(peer, { root, commits }, draw);
      }
      const seen = await copiesOf(reader, roots);
      const expected = await picture(seen);
      const sessionByHand = await foldByHand(seen.session);
      const agentByHand = await foldByHand(seen.agent);
      assert.deepEqual(
        expected.active,
        [...sessionByHand]
          .flatMap(([name, ref]) => (ref === 'off' ? [] : [[name, JSON.parse(ref)]]))
          .toSorted(),
      );
      assert.deepEqual(
        expected.off,
        [...agentByHand].flatMap(([name, ref]) => (ref === 'off' ? [name] : [])).toSorted(),
      );
      assert.deepEqual(
        expected.effective,
        expected.active.map(([name]) => String(name)).filter((name) => !expected.off.includes(name)),
      );
      for (const { copy } of met) assert.deepEqual(await picture(copy), expected);
      for (const copy of [...copies, seen]) for (const name of LOGS) copy[name].release();
    },
  );
  // As many as fit into the time that `npm test` has for it; more where somebody asks.
  const asked = process.env['FAIRLEAD_PROPERTY_RUNS'];
  const seed = Number(process.env['FAIRLEAD_TEST_SEED'] ?? Date.now() % 2 ** 31);
  const bound = asked === undefined ? { interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false } : {};
  t.diagnostic(`seed ${seed}`);
  await fc.assert(property, { numRuns: Number(asked ?? 2_000), seed, ...bound });
  t.diagnostic(`${runs} runs in ${Math.round(performance.now() - started)} ms`);
  // A run takes some 15 ms; on a machine that is starved there must still be enough to mean something.
  assert.ok(runs >= Math.min(100, Number(asked ?? 100)), `only ${runs} runs`);
});
