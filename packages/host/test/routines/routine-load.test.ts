import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRoutines } from '../../src/routines/routine-load.ts';
import { hostFloor } from '../host-floor.ts';
import { hello } from './engine-floor.ts';

test('as many as a database may have are all loaded; with one more that is said', async (t) => {
  const { peer, store } = await hostFloor(t);
  const database = await peer.create('agent');
  const load = async (most: number) => {
    const by = { store, place: { kind: 'agent', database }, zone: 'UTC', nowMs: 0 } as const;
    const names: string[] = [];
    let isCut = false;
    for await (const page of loadRoutines(by, most)) {
      names.push(...page.entries.map(({ routine }) => routine));
      isCut ||= page.isCut === true;
    }
    return { names, isCut };
  };
  for (const name of ['a', 'b', 'c', 'd'])
    await database.latest('routines').put(name, hello({ kind: 'every', secs: 60 }));
  await database.latest('routines').put('b', null);
  assert.deepEqual(await load(3), { names: ['a', 'c', 'd'], isCut: false });
  assert.deepEqual(await load(2), { names: ['a', 'c'], isCut: true });
});
