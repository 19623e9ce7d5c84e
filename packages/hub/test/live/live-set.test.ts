import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineCap, defineExtension, messenger } from '@fairlead/extension';
import type { Contributions } from '@fairlead/extension/runtime';
import { hygiene } from '@fairlead/testing';
import { activate, deactivate } from '../../src/activation/switch.ts';
import { callTool } from '../../src/dispatch/call-tool.ts';
import { promptBlocks, statusSegments, tailBlocks } from '../../src/dispatch/fire-hooks.ts';
import { runCommand } from '../../src/dispatch/run-command.ts';
import type { LiveSet } from '../../src/live/live-set.ts';
import { contributionsOf, FakeExtension, held } from '../fake-extension.ts';
import { testHub } from '../test-hub.ts';
import { copyTo, testPeer } from '../test-peer.ts';

/** An extension that contributes one of everything, told apart by its name. */
const full = (name: string) =>
  defineExtension({
    name,
    version: '1.0.0',
    tools: { [`${name}_tool`]: { about: 'A tool.', run: () => name } },
    commands: { [name]: { about: 'A command.', run: () => name } },
    on: {
      beforeAgentStart: () => `start of ${name}`,
      toolResult: (end) => `${end.text}, seen by ${name}`,
    },
    prompt: () => `prompt of ${name}`,
    tail: () => `tail of ${name}`,
    status: () => ({ state: name }),
  });

const owners = (list: readonly { readonly owner: string }[]) => list.map(({ owner }) => owner);

test('an empty session of a host without extensions has an empty live set', async (t) => {
  hygiene(t);
  const { hub, newSession } = await testHub(t);
  const session = await newSession();
  assert.deepEqual(await hub.openSession(session), { active: new Map(), recorded: 0 });
  using set = await hub.liveSet({ session });
  assert.equal(set.session, session);
  assert.equal(set.agent, undefined);
  assert.deepEqual([...set.tools.keys(), ...set.commands.keys(), ...set.caps.keys()], []);
  assert.deepEqual([set.prompts, set.shadowed, set.refused, set.waiting], [[], [], [], []]);
});

test('tools, commands, hooks, blocks and status come in install order, each with its owner', async (t) => {
  hygiene(t);
  const { hub, newSession } = await testHub(t, { extensions: ['cherry', 'apple', 'banana'].map(full) });
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  assert.deepEqual([...set.tools.keys()], ['cherry_tool', 'apple_tool', 'banana_tool']);
  assert.deepEqual(
    [...set.commands.values()].map(({ name, owner }) => [name, owner]),
    [
      ['cherry', 'cherry'],
      ['apple', 'apple'],
      ['banana', 'banana'],
    ],
  );
  assert.deepEqual(owners(set.hooks.before_agent_start), ['cherry', 'apple', 'banana']);
  assert.deepEqual(owners(set.hooks.tool_call), []);
  for (const list of [set.prompts, set.tails, set.statuses])
    assert.deepEqual(owners(list), ['cherry', 'apple', 'banana']);
  assert.deepEqual(await promptBlocks(set), [
    { owner: 'cherry', text: 'prompt of cherry' },
    { owner: 'apple', text: 'prompt of apple' },
    { owner: 'banana', text: 'prompt of banana' },
  ]);
  assert.equal(set.tools.get('apple_tool')?.owner, 'apple');
  assert.equal(set.tools.get('apple_tool')?.tier, 'in_process');
});

test('what is switched off takes no part in tools, commands, hooks, prompt, tail or status', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession } = await testHub(t, { extensions: ['one', 'two'].map(full) });
  const session = await newSession();
  await hub.openSession(session);
  await deactivate(await peer.open(session), 'one', clock);
  using set = await hub.liveSet({ session });
  assert.deepEqual([...set.tools.keys()], ['two_tool']);
  assert.deepEqual([...set.commands.keys()], ['two']);
  assert.deepEqual(owners(set.hooks.before_agent_start), ['two']);
  assert.deepEqual(owners(set.hooks.tool_result), ['two']);
  assert.deepEqual(owners(await promptBlocks(set)), ['two']);
  assert.deepEqual(owners(await tailBlocks(set, { recent: [] })), ['two']);
  assert.deepEqual(owners(await statusSegments(set)), ['two']);
  assert.equal(
    (await callTool(set, { tool: 'two_tool', args: {}, call: 'call_1' })).text,
    'two, seen by two',
  );
});

test('an agent’s opt-outs narrow everything but commands, for that agent alone', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession, newAgent } = await testHub(t, {
    extensions: ['one', 'two'].map(full),
  });
  const session = await newSession();
  const ann = await newAgent('ann');
  const bob = await newAgent('bob');
  await hub.openSession(session);
  await deactivate(await peer.open(ann.id), 'one', clock);
  using forAnn = await hub.liveSet({ session, agent: ann });
  using forBob = await hub.liveSet({ session, agent: 'bob' });
  using forNobody = await hub.liveSet({ session });
  assert.deepEqual(forAnn.agent, ann);
  assert.deepEqual([...forAnn.tools.keys()], ['two_tool']);
  assert.deepEqual(owners(await promptBlocks(forAnn)), ['two']);
  assert.deepEqual([...forAnn.commands.keys()], ['one', 'two']);
  assert.deepEqual(await runCommand(forAnn, { line: '/one' }), {
    certainty: 'completed',
    value: { text: 'one' },
  });
  assert.deepEqual(forBob.agent, bob);
  for (const set of [forBob, forNobody]) assert.deepEqual([...set.tools.keys()], ['one_tool', 'two_tool']);
});

test('an agent cannot widen what the session has on', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession, newAgent } = await testHub(t, { extensions: [full('one')] });
  const session = await newSession();
  const ann = await newAgent('ann');
  const { active } = await hub.openSession(session);
  await deactivate(await peer.open(session), 'one', clock);
  const ref = active.get('one');
  assert.ok(ref !== undefined);
  await activate(await peer.open(ann.id), { name: 'one', ref }, clock);
  using set = await hub.liveSet({ session, agent: ann });
  assert.deepEqual([...set.tools.keys()], []);
});

/** `memory` of the design: one part for all, one for each session. */
const both = defineExtension({
  name: 'both',
  version: '1.0.0',
  tools: { remember: { about: 'Remembers.', run: () => 'remembered' } },
  prompt: () => 'global prompt',
  session: {
    open: (scope) => scope.key,
    tools: { attached: { about: 'What is attached.', run: (_args, ctx) => `${ctx.state}` } },
    tail: () => 'session tail',
  },
});

test('an extension with a global and a session instance contributes through both', async (t) => {
  hygiene(t);
  const { hub, newSession } = await testHub(t, { extensions: [both] });
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  assert.deepEqual([...set.tools.keys()], ['remember', 'attached']);
  assert.equal((await callTool(set, { tool: 'remember', args: {}, call: 'call_1' })).text, 'remembered');
  assert.equal((await callTool(set, { tool: 'attached', args: {}, call: 'call_2' })).text, session);
  assert.deepEqual(await promptBlocks(set), [{ owner: 'both', text: 'global prompt' }]);
  assert.deepEqual(await tailBlocks(set, { recent: [] }), [{ owner: 'both', text: 'session tail' }]);
});

test('of one extension’s instances the session’s answers a prompt, over the agent’s, over the global one', async (t) => {
  hygiene(t);
  const said = (where: string) => ({
    prompt: () => `prompt of ${where}`,
    on: { beforeAgentStart: () => where },
  });
  const everywhere = defineExtension({
    name: 'everywhere',
    version: '1.0.0',
    ...said('global'),
    agent: said('agent'),
    session: said('session'),
  });
  const widely = defineExtension({
    name: 'widely',
    version: '1.0.0',
    ...said('global'),
    agent: said('agent'),
  });
  const { hub, newSession, newAgent } = await testHub(t, { extensions: [everywhere, widely] });
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  using set = await hub.liveSet({ session, agent: ann });
  assert.deepEqual(await promptBlocks(set), [
    { owner: 'everywhere', text: 'prompt of session' },
    { owner: 'widely', text: 'prompt of agent' },
  ]);
  // Hooks are everybody's: within one extension global, agent, session.
  assert.deepEqual(owners(set.hooks.before_agent_start), [
    'everywhere',
    'everywhere',
    'everywhere',
    'widely',
    'widely',
  ]);
  // Without an agent, agents' instances take no part.
  using alone = await hub.liveSet({ session });
  assert.deepEqual(await promptBlocks(alone), [
    { owner: 'everywhere', text: 'prompt of session' },
    { owner: 'widely', text: 'prompt of global' },
  ]);
});

const named = (name: string, where: 'global' | 'agent' | 'session') => {
  const part = {
    tools: { ask: { about: 'Asks.', run: () => `${name} at ${where}` } },
    commands: { tell: { about: 'Tells.', run: () => `${name} at ${where}` } },
  };
  return where === 'global'
    ? defineExtension({ name, version: '1.0.0', ...part })
    : defineExtension({ name, version: '1.0.0', [where]: part });
};

test('a session tool shadows a global one for that session only, and goes with the session', async (t) => {
  hygiene(t);
  const closed: string[] = [];
  const local = defineExtension({
    name: 'local',
    version: '1.0.0',
    session: {
      open: (scope) => scope.key ?? '',
      tools: { ask: { about: 'Asks.', run: () => 'local' } },
      close: (key) => void closed.push(key),
    },
  });
  const { hub, peer, clock, newSession } = await testHub(t, { extensions: [named('wide', 'global'), local] });
  const [here, there] = [await newSession(), await newSession()];
  await hub.openSession(here);
  await hub.openSession(there);
  await deactivate(await peer.open(there), 'local', clock);
  const ask = async (set: LiveSet) => (await callTool(set, { tool: 'ask', args: {}, call: 'call_1' })).text;
  {
    using set = await hub.liveSet({ session: here });
    assert.equal(await ask(set), 'local');
    assert.deepEqual(set.shadowed, [
      {
        kind: 'tool',
        name: 'ask',
        owner: 'wide',
        scope: 'global',
        by: { owner: 'local', scope: 'session' },
      },
    ]);
    using other = await hub.liveSet({ session: there });
    assert.equal(await ask(other), 'wide at global');
    assert.deepEqual(other.shadowed, []);
  }
  // Where it was switched off, its instance is gone by itself.
  await hub.closeSession(here);
  assert.deepEqual(closed, [there, here]);
  await assert.rejects(hub.liveSet({ session: here }), { code: 'session_not_open' });
  using other = await hub.liveSet({ session: there });
  assert.equal(await ask(other), 'wide at global');
});

test('equal names: session over agent over global, then install order, each loser recorded', async (t) => {
  hygiene(t);
  const { hub, newSession, newAgent } = await testHub(t, {
    extensions: [
      named('first', 'global'),
      named('second', 'global'),
      named('third', 'agent'),
      named('fourth', 'session'),
      named('fifth', 'session'),
    ],
  });
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  using set = await hub.liveSet({ session, agent: ann });
  assert.equal(set.tools.get('ask')?.owner, 'fourth');
  assert.equal(set.commands.get('tell')?.owner, 'fourth');
  const losers = set.shadowed.map(({ kind, name, owner, scope, by }) => [kind, name, owner, scope, by.owner]);
  assert.deepEqual(losers.toSorted(), [
    ['command', 'tell', 'fifth', 'session', 'fourth'],
    ['command', 'tell', 'first', 'global', 'fourth'],
    ['command', 'tell', 'second', 'global', 'fourth'],
    ['command', 'tell', 'third', 'agent', 'fourth'],
    ['tool', 'ask', 'fifth', 'session', 'fourth'],
    ['tool', 'ask', 'first', 'global', 'fourth'],
    ['tool', 'ask', 'second', 'global', 'fourth'],
    ['tool', 'ask', 'third', 'agent', 'fourth'],
  ]);
});

test('a command with a name of the host is left out, and said to be', async (t) => {
  hygiene(t);
  const pushy = defineExtension({
    name: 'pushy',
    version: '1.0.0',
    commands: {
      groups: { about: 'The host’s.', run: () => 'mine' },
      fine: { about: 'Its own.', run: () => 'fine' },
    },
  });
  const { hub, newSession } = await testHub(t, { extensions: [pushy] });
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  assert.deepEqual([...set.commands.keys()], ['fine']);
  assert.deepEqual(set.refused, [{ extension: 'pushy', code: 'name_reserved', what: 'command groups' }]);
});

test('nothing that moves changes a set that is held, and the next one shows it', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession } = await testHub(t, { extensions: ['one', 'two'].map(full) });
  const session = await newSession();
  await hub.openSession(session);
  using held = await hub.liveSet({ session });
  using same = await hub.liveSet({ session });
  assert.equal(same.version, held.version);
  assert.equal(same.tools, held.tools);
  await deactivate(await peer.open(session), 'one', clock);
  using next = await hub.liveSet({ session });
  assert.notEqual(next.version, held.version);
  assert.deepEqual([...next.tools.keys()], ['two_tool']);
  assert.deepEqual([...held.tools.keys()], ['one_tool', 'two_tool']);
  // The turn that has it may still call it: what only narrows for safety is the host's.
  assert.equal(
    (await callTool(held, { tool: 'one_tool', args: {}, call: 'call_1' })).text,
    'one, seen by one, seen by two',
  );
});

test('a switch that arrives from another peer takes effect at the next live set, without a call of ours', async (t) => {
  hygiene(t);
  const here = await testHub(t, { extensions: ['one', 'two'].map(full) });
  const there = await testPeer(t, { seed: 2 });
  const session = await here.newSession();
  const database = await here.peer.open(session);
  await database.access.grant(there.peer.peerId, 'write');
  await here.hub.openSession(session);
  {
    using set = await here.hub.liveSet({ session });
    assert.deepEqual([...set.tools.keys()], ['one_tool', 'two_tool']);
  }
  const copy = await copyTo(there, database);
  await deactivate(copy, 'two', there.clock);
  await copyTo(here, copy);
  using set = await here.hub.liveSet({ session });
  assert.deepEqual([...set.tools.keys()], ['one_tool']);
});

test('two sessions have their sets each for itself', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession } = await testHub(t, { extensions: ['one', 'two'].map(full) });
  const [left, right] = [await newSession(), await newSession()];
  await hub.openSession(left);
  await hub.openSession(right);
  await deactivate(await peer.open(left), 'one', clock);
  using ofLeft = await hub.liveSet({ session: left });
  using ofRight = await hub.liveSet({ session: right });
  assert.deepEqual([...ofLeft.tools.keys()], ['two_tool']);
  assert.deepEqual([...ofRight.tools.keys()], ['one_tool', 'two_tool']);
});

const Weather = defineCap<{ now(input: { city: string }): Promise<{ celsius: number }> }>('example.weather', {
  now: true,
});

const provider = (name: string) =>
  defineExtension({
    name,
    version: '1.0.0',
    provides: { weather: { cap: Weather, impl: { now: ({ city }) => ({ celsius: city.length }) } } },
  });

test('whose required cap is not provided in a set is left out of it and shown as waiting, and so on', async (t) => {
  hygiene(t);
  const Climate = defineCap<{ mean(input: object): Promise<number> }>('example.climate', { mean: true });
  const middle = defineExtension({
    name: 'middle',
    version: '1.0.0',
    uses: { weather: Weather.from('source') },
    tools: { middle: { about: 'x', run: () => 'middle' } },
    provides: { climate: { cap: Climate, impl: { mean: () => 1 } } },
  });
  const last = defineExtension({
    name: 'last',
    version: '1.0.0',
    uses: { climate: Climate },
    tools: { last: { about: 'x', run: () => 'last' } },
  });
  const wishful = defineExtension({
    name: 'wishful',
    version: '1.0.0',
    uses: { weather: Weather.from('source').optional, chat: messenger.optional },
    tools: { wish: { about: 'x', run: (_args, { caps }) => `${caps.weather === undefined}` } },
  });
  const { hub, peer, clock, newSession, newAgent } = await testHub(t, {
    extensions: [last, middle, provider('source'), provider('other'), wishful],
  });
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  {
    using set = await hub.liveSet({ session, agent: ann });
    assert.deepEqual([...set.tools.keys()], ['last', 'middle', 'wish']);
    assert.deepEqual(
      [...set.caps].map(([kind, caps]) => [kind, owners(caps)]),
      [
        ['example.climate', ['middle']],
        ['example.weather', ['source', 'other']],
      ],
    );
    assert.deepEqual(set.waiting, []);
    assert.equal((await callTool(set, { tool: 'wish', args: {}, call: 'call_1' })).text, 'false');
  }
  await deactivate(await peer.open(ann.id), 'source', clock);
  using set = await hub.liveSet({ session, agent: ann });
  assert.deepEqual([...set.tools.keys()], ['wish']);
  assert.deepEqual(set.waiting, [
    { extension: 'middle', code: 'capability_missing', reason: 'waiting for example.weather from source' },
    { extension: 'last', code: 'capability_missing', reason: 'waiting for example.climate' },
  ]);
  assert.equal((await callTool(set, { tool: 'wish', args: {}, call: 'call_2' })).text, 'true');
  const refused = await callTool(set, { tool: 'middle', args: {}, call: 'call_3' });
  assert.deepEqual([refused.certainty, refused.code], ['not_started', 'tool_not_found']);
  // In the session all of it is on: for whoever answers without an agent, nothing has changed.
  using alone = await hub.liveSet({ session });
  assert.deepEqual([...alone.tools.keys()], ['last', 'middle', 'wish']);
});

test('two that need each other are both live', async (t) => {
  hygiene(t);
  const Ping = defineCap<{ ping(input: object): Promise<null> }>('example.ping', { ping: true });
  const Pong = defineCap<{ pong(input: object): Promise<null> }>('example.pong', { pong: true });
  const ping = defineExtension({
    name: 'ping',
    version: '1.0.0',
    uses: { pong: Pong },
    provides: { ping: { cap: Ping, impl: { ping: () => null } } },
  });
  const pong = defineExtension({
    name: 'pong',
    version: '1.0.0',
    uses: { ping: Ping },
    provides: { pong: { cap: Pong, impl: { pong: () => null } } },
  });
  const { hub, newSession } = await testHub(t, { extensions: [ping, pong] });
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  assert.deepEqual([...set.caps.keys()], ['example.ping', 'example.pong']);
});

test('a need for text that others add is met by who adds it', async (t) => {
  hygiene(t);
  const { hub, newSession } = await testHub(t, { extensions: [full('talker')] });
  const needs = new FakeExtension('needs', {
    tools: ['needed'],
    requires: [
      { kind: 'prompt_augmentation' },
      { kind: 'context_tail', provider: 'talker' },
      { kind: 'status_segment' },
    ],
  });
  await hub.install([needs.source()]);
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  assert.equal(set.tools.has('needed'), true);
});

test('what waits is not shown to an agent that has opted out of it', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession, newAgent } = await testHub(t, { extensions: [full('one')] });
  const refused = new FakeExtension('refused');
  await hub.install([refused.source({ name: 'other' })]);
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  const waiting = async () => {
    using set = await hub.liveSet({ session, agent: ann });
    return set.waiting.map(({ extension }) => extension);
  };
  assert.deepEqual(await waiting(), ['other']);
  await deactivate(await peer.open(ann.id), 'other', clock);
  assert.deepEqual(await waiting(), []);
});

test('a set whose inputs move while it is built is built again', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession, newAgent } = await testHub(t, {
    extensions: ['one', 'two'].map(full),
  });
  const slow = new FakeExtension('slow', { scopes: ['agent'] });
  await hub.install([slow.source()]);
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  const [opening, opened] = [held(), held<Contributions>()];
  slow.onOpen = () => {
    opening.settle();
    return opened.promise;
  };
  const building = hub.liveSet({ session, agent: ann });
  await opening.promise;
  await deactivate(await peer.open(session), 'one', clock);
  opened.settle(contributionsOf(slow.manifest, 'agent'));
  using set = await building;
  assert.deepEqual([...set.tools.keys()], ['two_tool']);
});

test('inputs that move at each building of a set are not followed for ever', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession, newAgent } = await testHub(t, { extensions: [full('one')] });
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  const log = await peer.open(ann.id);
  let readings = 0;
  const latest = Object.getPrototypeOf(log.latest('extensions')) as { all(): Promise<unknown[]> };
  const { all } = latest;
  t.mock.method(latest, 'all', async function (this: { all(): Promise<unknown[]> }) {
    const rows = await all.call(this);
    readings += 1;
    if (readings <= 20 && readings % 2 === 0) await deactivate(log, `x${readings}`, clock);
    return rows;
  });
  using set = await hub.liveSet({ session, agent: ann });
  assert.deepEqual([...set.tools.keys()], ['one_tool']);
  // Two logs, four buildings.
  assert.equal(readings, 8);
});

test('the move of the last building shows in the next set', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession, newAgent } = await testHub(t, { extensions: [full('one')] });
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  const [ofSession, ofAgent] = [await peer.open(session), await peer.open(ann.id)];
  let readings = 0;
  const latest = Object.getPrototypeOf(ofAgent.latest('extensions')) as { all(): Promise<unknown[]> };
  const { all } = latest;
  t.mock.method(latest, 'all', async function (this: { all(): Promise<unknown[]> }) {
    const rows = await all.call(this);
    readings += 1;
    // Two logs: the first three buildings read six times, the last one reads its session then.
    if (readings === 7) await deactivate(ofSession, 'one', clock);
    else if (readings < 7 && readings % 2 === 0) await deactivate(ofAgent, `x${readings}`, clock);
    return rows;
  });
  const tools = async () => {
    using set = await hub.liveSet({ session, agent: ann });
    return [...set.tools.keys()];
  };
  assert.deepEqual(await tools(), ['one_tool']);
  assert.deepEqual(await tools(), []);
});

test('a set that is still built when its session closes is refused', async (t) => {
  hygiene(t);
  const { hub, newSession, newAgent } = await testHub(t, { extensions: [full('one')] });
  const slow = new FakeExtension('slow', { scopes: ['agent'] });
  await hub.install([slow.source()]);
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  const [opening, opened] = [held(), held<Contributions>()];
  slow.onOpen = () => {
    opening.settle();
    return opened.promise;
  };
  const refused = assert.rejects(Promise.resolve(hub.liveSet({ session, agent: ann })), {
    code: 'session_not_open',
  });
  await opening.promise;
  await hub.closeSession(session);
  opened.settle(contributionsOf(slow.manifest, 'agent'));
  await refused;
});

test('an instance that fails is shown with its reason, is tried again when its pause is over, and the rest goes on', async (t) => {
  hygiene(t);
  let broken = true;
  const flaky = defineExtension({
    name: 'flaky',
    version: '1.0.0',
    tools: { steady: { about: 'x', run: () => 'steady' } },
    session: {
      open() {
        if (broken) throw new Error('no space left');
      },
      tools: { shaky: { about: 'x', run: () => 'shaky' } },
    },
  });
  const { hub, clock, newSession } = await testHub(t, { extensions: [flaky, full('other')] });
  const session = await newSession();
  await hub.openSession(session);
  {
    using set = await hub.liveSet({ session });
    assert.deepEqual([...set.tools.keys()], ['steady', 'other_tool']);
    assert.deepEqual(set.waiting.length, 1);
    const [waiting] = set.waiting;
    assert.deepEqual(
      [waiting?.extension, waiting?.scope, waiting?.code],
      ['flaky', 'session', 'instantiate_failed'],
    );
    assert.match(waiting?.reason ?? '', /no space left/);
    const refused = await callTool(set, { tool: 'shaky', args: {}, call: 'call_1' });
    assert.equal(refused.code, 'tool_inactive');
    assert.match(refused.text, /shaky belongs to flaky, which cannot run here now: .*no space left/);
  }
  broken = false;
  {
    using set = await hub.liveSet({ session });
    assert.equal(set.tools.has('shaky'), false);
  }
  await clock.advance(1000);
  using set = await hub.liveSet({ session });
  assert.deepEqual([...set.tools.keys()], ['steady', 'shaky', 'other_tool']);
  assert.deepEqual(set.waiting, []);
});

test('tools that are learnt at run time show in the next set', async (t) => {
  hygiene(t);
  const learner = defineExtension({
    name: 'learner',
    version: '1.0.0',
    open: (scope) => ({ names: [] as string[], changed: () => scope.changed() }),
    tools: {
      learn: {
        about: 'Learns.',
        run(_args, { state }) {
          state.names.push('learnt');
          state.changed();
        },
      },
    },
    moreTools: ({ names }) =>
      names.map((name) => ({
        name,
        about: 'Learnt.',
        args: { type: 'object', properties: {} } as const,
        run: () => `is ${name}`,
      })),
  });
  const { hub, clock, newSession } = await testHub(t, { extensions: [learner] });
  const session = await newSession();
  await hub.openSession(session);
  using before = await hub.liveSet({ session });
  await callTool(before, { tool: 'learn', args: {}, call: 'call_1' });
  await clock.advance(0);
  using after = await hub.liveSet({ session });
  assert.equal(before.tools.has('learnt'), false);
  assert.equal((await callTool(after, { tool: 'learnt', args: {}, call: 'call_2' })).text, 'is learnt');
});

test('a lease that is disposed twice gives up its pins once', async (t) => {
  hygiene(t);
  const closed: string[] = [];
  const local = (name: string) =>
    defineExtension({
      name,
      version: '1.0.0',
      session: { open: (scope) => scope.key ?? '', close: (key) => void closed.push(key) },
    });
  const { hub, newSession } = await testHub(t, { extensions: [local('local')], maxInstances: 1 });
  const [first, second] = [await newSession(), await newSession()];
  await hub.openSession(first);
  const one = await hub.liveSet({ session: first });
  const two = await hub.liveSet({ session: first });
  await using third = await hub.liveSet({ session: first });
  one[Symbol.dispose]();
  await one[Symbol.asyncDispose]();
  one[Symbol.dispose]();
  two[Symbol.dispose]();
  // The third still holds it: what opens elsewhere does not push it out.
  await hub.openSession(second);
  assert.equal(closed.includes(first), false);
  third[Symbol.dispose]();
  using _again = await hub.liveSet({ session: second });
  assert.equal(closed.includes(first), true);
});

test('a set that no hub made is refused', async () => {
  await assert.rejects(callTool({} as LiveSet, { tool: 'x', args: {}, call: 'call_1' }), TypeError);
});
