import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension } from '@fairlead/extension';
import type { LiveSet } from '@fairlead/hub';
import type { OfferOptions } from '../../src/context/offered-tools.ts';
import { Offers } from '../../src/turn/offers.ts';
import { saidModel } from './said-model.ts';
import { turnRoom } from './turn-room.ts';

const OPTIONS: OfferOptions = {
  allowed: [undefined],
  profile: new Map(),
  mode: 'normal',
  effectOf: () => 'read',
};
const emptySet = (): Pick<LiveSet, 'tools'> => ({ tools: new Map() });

test('the same set offers the same to the same agent, and each of them is estimated once', () => {
  const offers = new Offers();
  const set = emptySet();
  const first = offers.of(set, OPTIONS);
  assert.equal(offers.of(set, { ...OPTIONS, allowed: [undefined] }), first);
  assert.equal(offers.of({ tools: set.tools }, OPTIONS), first);
});

test('another set, mode, profile or list of tools is offered anew', () => {
  const offers = new Offers();
  const set = emptySet();
  const first = offers.of(set, OPTIONS);
  assert.notEqual(offers.of(emptySet(), OPTIONS), first);
  assert.notEqual(offers.of(set, { ...OPTIONS, mode: 'inspect' }), first);
  assert.notEqual(offers.of(set, { ...OPTIONS, profile: new Map() }), first);
  assert.notEqual(offers.of(set, { ...OPTIONS, allowed: [[]] }), first);
  assert.notEqual(offers.of(set, { ...OPTIONS, allowed: [undefined, undefined] }), first);
});

test('what nobody asked for in a while is worked out again, so that a set keeps few of them', () => {
  const offers = new Offers();
  const set = emptySet();
  const first = offers.of(set, OPTIONS);
  for (let count = 0; count < 8; count += 1) offers.of(set, { ...OPTIONS, allowed: [[String(count)]] });
  assert.notEqual(offers.of(set, OPTIONS), first);
});

test('a change of the agent’s tools or of the session’s mode counts from the next turn', async (t) => {
  const model = saidModel({ text: 'ok' });
  const extension = defineExtension({
    name: 'two',
    version: '1.0.0',
    tools: {
      look: { about: 'Looks.', args: {}, effect: 'read', run: () => 'seen' },
      write: { about: 'Writes.', args: {}, run: () => 'written' },
    },
  });
  const room = await turnRoom(t, { model, extensions: [extension] });
  const offered = async () => {
    await room.ask('Hi');
    return model.requests.at(-1)?.tools.map(({ name }) => name);
  };
  assert.deepEqual(await offered(), ['look', 'write']);
  await (await room.agents.open(room.agent.id)).doc('config').set(['tools'], ['wri*']);
  assert.deepEqual(await offered(), ['write']);
  await (await room.agents.open(room.agent.id)).doc('config').clear(['tools']);
  await room.sessions.setMode(room.session, 'read_only', { scopes: ['admin'] });
  assert.deepEqual(await offered(), ['look']);
  await room.sessions.setMode(room.session, 'inspect', { scopes: ['admin'] });
  assert.deepEqual(await offered(), []);
});
