import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Json } from '@fairlead/base';
import type { Database } from '@fairlead/store';
import { hygiene } from '@fairlead/testing';
import { SessionDoor } from '../../src/sessions/session-door.ts';
import { START_MS, type TestPeer, testPeer } from '../test-peer.ts';

interface Opened extends TestPeer {
  readonly door: SessionDoor;
  readonly session: Database;
}

async function doorOf(t: TestContext): Promise<Opened> {
  hygiene(t);
  const here = await testPeer(t, { seed: 1 });
  const door = new SessionDoor({
    extension: 'chat',
    clock: here.clock,
    use: async (root, work) => work(await here.peer.open(root)),
  });
  return { ...here, door, session: await here.peer.create('session') };
}

const texts = (answer: Json) => (answer as { text: string }[]).map(({ text }) => text);

test('an extension appends as itself, and a messenger as the one who spoke', async (t) => {
  const { door, session } = await doorOf(t);
  const of = { op: 'session.append', session: session.root } as const;
  const first = (await door.answer({ ...of, type: 'message', text: 'hello' }, session.root)) as {
    id: string;
  };
  await door.answer({ ...of, type: 'directive', text: 'do it', from: { id: '@ann:x' } }, session.root);
  await door.answer({ ...of, type: 'message', text: 'hi', from: { id: '42', name: 'Ann' } }, session.root);
  const entries = (await door.answer(
    { op: 'session.read', session: session.root, last: 10 },
    session.root,
  )) as {
    id: string;
  }[];
  assert.equal(entries[0]?.id, first.id);
  assert.deepEqual(
    entries.map(({ id, ...rest }) => rest),
    [
      { type: 'message', at: START_MS, from: { kind: 'extension', id: 'chat' }, text: 'hello' },
      { type: 'directive', at: START_MS, from: { kind: 'client', id: 'ext:chat/@ann:x' }, text: 'do it' },
      { type: 'message', at: START_MS, from: { kind: 'client', id: 'ext:chat/42', name: 'Ann' }, text: 'hi' },
    ],
  );
});

test('a page holds the newest entries, oldest first, and goes on before an entry', async (t) => {
  const { door, session } = await doorOf(t);
  for (let index = 1; index <= 5; index += 1)
    await door.answer(
      { op: 'session.append', session: session.root, type: 'message', text: `${index}` },
      session.root,
    );
  const read = async (last: number, before?: string) =>
    (await door.answer(
      { op: 'session.read', session: session.root, last, ...(before === undefined ? {} : { before }) },
      session.root,
    )) as { id: string; text: string }[];
  const page = await read(2);
  assert.deepEqual(texts(page), ['4', '5']);
  assert.deepEqual(texts(await read(2, page[0]?.id)), ['2', '3']);
  assert.deepEqual(texts(await read(200)), ['1', '2', '3', '4', '5']);
  // As in the harness: before an entry that there is not, there is none.
  assert.deepEqual(await read(2, 'nothing'), []);
  assert.deepEqual(await read(2, `${session.root}:1:0`), []);
});

test('records of other peers that are no entries are passed over', async (t) => {
  const { door, session } = await doorOf(t);
  const append = (text: string) =>
    door.answer({ op: 'session.append', session: session.root, type: 'message', text }, session.root);
  await append('first');
  const bad: Json[] = [
    'text',
    { type: 'message' },
    { type: 'message', at: 1, from: {} },
    { type: 1, at: 1, from: {} },
  ];
  for (const value of [...bad, ...bad]) await session.table('entries').append(value);
  await append('last');
  const read = (last: number) =>
    door.answer({ op: 'session.read', session: session.root, last }, session.root);
  assert.deepEqual(texts(await read(10)), ['first', 'last']);
  assert.deepEqual(texts(await read(1)), ['last']);
});

test('an answer stays under a frame: what does not fit is the oldest', async (t) => {
  const { door, session } = await doorOf(t);
  for (let index = 0; index < 8; index += 1)
    await session.table('entries').append({
      type: 'tool_result',
      at: index,
      from: { kind: 'agent', id: 'a' },
      text: 'x'.repeat(200_000),
    });
  const entries = (await door.answer(
    { op: 'session.read', session: session.root, last: 8 },
    session.root,
  )) as {
    at: number;
  }[];
  assert.deepEqual(
    entries.map(({ at }) => at),
    [5, 6, 7],
  );
});

test('a session is reached by the call that belongs to it, or once it was opened', async (t) => {
  const { door, session, peer, clock } = await doorOf(t);
  const read = { op: 'session.read', session: session.root, last: 1 } as const;
  const append = { op: 'session.append', session: session.root, type: 'message', text: 'x' } as const;
  await assert.rejects(door.answer(read, undefined), { code: 'session_not_here' });
  await assert.rejects(door.answer(append, (await peer.create('session')).root), {
    code: 'session_not_here',
  });
  assert.deepEqual(await door.answer({ op: 'session.open', id: session.root }, undefined), {
    id: session.root,
  });
  await door.answer(append, undefined);
  assert.deepEqual(texts(await door.answer(read, undefined)), ['x']);
  // Another generation has opened nothing yet.
  const next = new SessionDoor({
    extension: 'chat',
    clock,
    use: async (root, work) => work(await peer.open(root)),
  });
  await assert.rejects(next.answer(read, undefined), { code: 'session_not_here' });
});

test('what is not here, and what is no session, is answered alike', async (t) => {
  const { door, peer } = await doorOf(t);
  const agent = await peer.create('agent');
  for (const id of ['', 'nonsense', `ses_${'A'.repeat(43)}`, agent.root])
    await assert.rejects(door.answer({ op: 'session.open', id }, undefined), {
      code: 'session_not_here',
      message: 'There is no such session on this peer, or none that the extension may use.',
    });
});

test('another failure of the store keeps its code', async (t) => {
  const { door, store, peer, session, clock } = await doorOf(t);
  await peer.close();
  await store.close();
  await assert.rejects(door.answer({ op: 'session.open', id: session.root }, undefined), {
    code: 'store_closed',
  });
  const held = new SessionDoor({ extension: 'chat', clock, use: (_root, work) => work(session) });
  const read = { op: 'session.read', session: session.root, last: 1 } as const;
  await assert.rejects(held.answer(read, session.root), { code: 'store_closed' });
});

test('an entry out of bounds is refused, and nothing is written', async (t) => {
  const { door, session } = await doorOf(t);
  const of = { op: 'session.append', session: session.root, type: 'message', text: 'x' } as const;
  const bad: [object, string][] = [
    [{ type: 'ack' }, 'type'],
    [{ text: 5 }, 'text'],
    [{ text: 'x'.repeat(65_537) }, 'text'],
    [{ text: 'é'.repeat(32_769) }, 'text'],
    [{ text: '\u0001'.repeat(65_536) }, 'size'],
    [{ from: { id: '' } }, 'from.id'],
    [{ from: { id: 'a\nb' } }, 'from.id'],
    [{ from: { id: 'x'.repeat(257) } }, 'from.id'],
    [{ from: { id: 'a', name: 'b\u001b[31m' } }, 'from.name'],
  ];
  for (const [part, what] of bad)
    await assert.rejects(door.answer({ ...of, ...part } as never, session.root), {
      code: 'entry_invalid',
      message: `This is no entry that a session takes; nothing was written. (${what})`,
    });
  assert.equal(await session.table('entries').count(), 0);
  await door.answer({ ...of, text: 'x'.repeat(65_536) }, session.root);
});

test('sessions that were opened are remembered up to a bound', async (t) => {
  hygiene(t);
  const { peer, clock } = await testPeer(t, { seed: 1 });
  const real = await peer.create('session');
  const door = new SessionDoor({
    extension: 'chat',
    clock,
    use: (root, work) => work(root === real.root ? real : ({ root, kind: 'session' } as Database)),
  });
  await door.answer({ op: 'session.open', id: real.root }, undefined);
  for (let index = 0; index < 4_096; index += 1)
    await door.answer({ op: 'session.open', id: `ses_${index}` }, undefined);
  await assert.rejects(door.answer({ op: 'session.read', session: real.root, last: 1 }, undefined), {
    code: 'session_not_here',
  });
  // Opened again it is the newest, and stays.
  await door.answer({ op: 'session.open', id: real.root }, undefined);
  for (let index = 0; index < 4_095; index += 1)
    await door.answer({ op: 'session.open', id: `ses_${index}` }, undefined);
  assert.deepEqual(await door.answer({ op: 'session.read', session: real.root, last: 1 }, undefined), []);
});
