import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { copyTo, hostFloor } from '../host-floor.ts';
import { memoryRoom } from './memory-room.ts';

const step = fc.record({
  by: fc.constantFrom<0 | 1>(0, 1),
  key: fc.constantFrom('a', 'b', 'c'),
  value: fc.option(fc.constantFrom('red', 'green', 'blue'), { nil: null, freq: 3 }),
});

test('two hosts that have the same records remember the same, whatever was written where and when', async (t) => {
  let seed = 1;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.array(fc.boolean()), async (steps, syncs) => {
      seed += 2;
      const hosts = [await hostFloor(t, { seed }), await hostFloor(t, { seed: seed + 1 })] as const;
      const rooms = [
        await memoryRoom(t, { host: hosts[0] }),
        await memoryRoom(t, { host: hosts[1] }),
      ] as const;
      const { id } = await rooms[0].memory.banks.create('team');
      const mine = await rooms[0].memory.banks.database(id);
      await mine.access.grant(hosts[1].peer.peerId, 'append');
      const theirs = await copyTo(hosts[1], mine);
      const sync = async () => {
        await copyTo(hosts[0], theirs);
        await copyTo(hosts[1], mine);
      };
      const place = (by: 0 | 1) => ({ agent: rooms[by].ann, bank: id, isPerson: true });
      for (const [index, { by, key, value }] of steps.entries()) {
        await hosts[by].clock.advance(1);
        if (value === null) await rooms[by].memory.forget(place(by), key).catch(() => {});
        else await rooms[by].memory.remember(place(by), { key, value });
        if (syncs[index] === true) await sync();
      }
      await sync();
      const all = async (by: 0 | 1) =>
        (await rooms[by].memory.recall(place(by), { query: '' })).memories.map(({ key, value }) => ({
          key,
          value,
        }));
      const [left, right] = [await all(0), await all(1)];
      assert.deepEqual(left, right);
      assert.deepEqual(left.length, new Set(left.map(({ key }) => key)).size);
      // The newest record of each key, in the order that all peers share, is what shows.
      const newest = new Map<string, string>();
      for await (const { key = '', value } of mine.table('memory').scan()) {
        const { value: text } = value as { value?: string };
        if (text === undefined) newest.delete(key);
        else newest.set(key, text);
      }
      assert.deepEqual(new Map(left.map(({ key, value }) => [key, value])), new Map([...newest].reverse()));
      for (const word of ['red', 'green', 'blue'])
        for (const by of [0, 1] as const)
          assert.deepEqual(
            (await rooms[by].keys(place(by), { query: word })).toSorted(),
            left
              .filter(({ value }) => value === word)
              .map(({ key }) => key)
              .toSorted(),
          );
    }),
    { numRuns: 15 },
  );
});
