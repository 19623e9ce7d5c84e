import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defineExtension, type Extension, s } from '@fairlead/extension';
import { hygiene } from '@fairlead/testing';
import { activate, deactivate } from '../../src/activation/switch.ts';
import { callTool } from '../../src/dispatch/call-tool.ts';
import {
  fireAgentEnd,
  fireBeforeAgentStart,
  promptBlocks,
  statusSegments,
  tailBlocks,
} from '../../src/dispatch/fire-hooks.ts';
import type { LiveSet } from '../../src/live/live-set.ts';
import { FakeExtension, held } from '../fake-extension.ts';
import { testHub } from '../test-hub.ts';

async function opened(t: TestContext, extensions: readonly Extension[]) {
  hygiene(t);
  const world = await testHub(t, { extensions });
  const session = await world.newSession();
  await world.hub.openSession(session);
  const set = await world.hub.liveSet({ session });
  t.after(() => set[Symbol.dispose]());
  return { ...world, session, set };
}

const call = (set: LiveSet, tool: string) => callTool(set, { tool, args: {}, call: 'call_1' });

const tools = defineExtension({
  name: 'tools',
  version: '1.0.0',
  tools: {
    judged: { about: 'Is judged.', run: () => 'ran' },
    free: { about: 'Is not judged.', run: () => 'ran' },
  },
});

const gate = (name: string, toolCall: () => unknown, gates?: readonly string[]) =>
  defineExtension({
    name,
    version: '1.0.0',
    ...(gates === undefined ? {} : { gates }),
    on: { toolCall: toolCall as () => undefined },
  });

test('before an agent starts, messages come in install order, whoever answers first', async (t) => {
  const asked = held<(text: string) => void>();
  const { set } = await opened(t, [
    defineExtension({
      name: 'late',
      version: '1.0.0',
      on: { beforeAgentStart: () => new Promise<string>((resolve) => asked.settle(resolve)) },
    }),
    defineExtension({
      name: 'soon',
      version: '1.0.0',
      on: { beforeAgentStart: () => [{ role: 'user', text: 'soon' }] },
    }),
  ]);
  const messages = fireBeforeAgentStart(set);
  const answer = await asked.promise;
  answer('late');
  assert.deepEqual(await messages, [
    { owner: 'late', role: 'system', text: 'late' },
    { owner: 'soon', role: 'user', text: 'soon' },
  ]);
});

test('a hook that throws, at once or later, or answers garbage is reported, and the later ones run', async (t) => {
  const heard: string[] = [];
  const on = (name: string, beforeAgentStart: () => unknown) =>
    defineExtension({
      name,
      version: '1.0.0',
      on: { beforeAgentStart: beforeAgentStart as () => undefined, agentEnd: () => void heard.push(name) },
    });
  const { set, reports } = await opened(t, [
    on('throws', () => {
      throw new Error('at once');
    }),
    on('rejects', () => Promise.reject(new Error('later'))),
    on('garbage', () => 5),
    on('fine', () => 'fine'),
  ]);
  assert.deepEqual(await fireBeforeAgentStart(set), [{ owner: 'fine', role: 'system', text: 'fine' }]);
  assert.deepEqual(
    reports.map(({ code, extension }) => [code, extension]),
    [
      ['hook_failed', 'throws'],
      ['hook_failed', 'rejects'],
      ['hook_failed', 'garbage'],
    ],
  );
  assert.match(reports[0]?.reason ?? '', /^before_agent_start: it threw: at once/);
  await fireAgentEnd(set, { status: 'failed' });
  assert.deepEqual(heard, ['throws', 'rejects', 'garbage', 'fine']);
});

/** Never answers, and says when it was asked. */
function hanging() {
  let asked = held();
  return {
    hang: (): Promise<never> => {
      asked.settle();
      asked = held();
      return new Promise(() => {});
    },
    /** Take it before what fires. */
    next: () => asked.promise,
  };
}

test('a gate that throws, answers garbage or never answers blocks within its budget, and is named', async (t) => {
  const { hang, next } = hanging();
  for (const [name, judge, code] of [
    [
      'throws',
      () => {
        throw new Error('cannot judge');
      },
      'hook_failed',
    ],
    ['rejects', () => Promise.reject(new Error('cannot judge')), 'hook_failed'],
    ['garbage', () => ({ allow: true }), 'verdict_invalid'],
    ['hangs', hang, 'hook_timeout'],
  ] as const) {
    await t.test(name, async (st) => {
      const { set, clock, reports } = await opened(st, [tools, gate(name, judge)]);
      const asked = next();
      const ending = call(set, 'judged');
      if (name === 'hangs') await asked;
      await clock.advance(10_000);
      const end = await ending;
      assert.deepEqual([end.certainty, end.code], ['not_started', code]);
      assert.match(end.text, new RegExp(`^blocked by ${name}: `));
      assert.deepEqual(
        reports.map((report) => [report.code, report.extension]),
        [[code, name]],
      );
    });
  }
});

test('what a hook answers after its budget is void', async (t) => {
  const asked = [held<(verdict: object) => void>(), held<(verdict: object) => void>()];
  let calls = 0;
  const { set, clock } = await opened(t, [
    tools,
    gate('late', () => new Promise((resolve) => asked[calls++]?.settle(resolve))),
  ]);
  const first = call(set, 'judged');
  const answerFirst = await asked[0]?.promise;
  await clock.advance(10_000);
  assert.equal((await first).code, 'hook_timeout');
  const second = call(set, 'judged');
  const answerSecond = await asked[1]?.promise;
  answerFirst?.({ args: {} });
  await clock.advance(0);
  answerSecond?.({ block: 'In time.' });
  assert.equal((await second).text, 'blocked by late: In time.');
});

test('one firing has 30 seconds in all, however many hang', async (t) => {
  const { hang, next } = hanging();
  const asked = next();
  const hangs = (name: string) => defineExtension({ name, version: '1.0.0', on: { beforeAgentStart: hang } });
  const { set, clock, reports } = await opened(t, ['a', 'b', 'c', 'd', 'e'].map(hangs));
  const firing = fireBeforeAgentStart(set);
  let over = false;
  void firing.then(() => {
    over = true;
  });
  await asked;
  await clock.advance(29_000);
  assert.equal(over, false);
  await clock.advance(1000);
  assert.deepEqual(await firing, []);
  assert.deepEqual(reports.length, 5);
});

test('prompt, tail and status that hang or throw leave out themselves alone, after 2 seconds', async (t) => {
  const text = (name: string, say: () => unknown) =>
    defineExtension({
      name,
      version: '1.0.0',
      prompt: say as () => string,
      tail: say as () => string,
      status: () => {
        const said = say();
        return typeof said === 'string' ? { said } : (said as never);
      },
    });
  const { hang, next } = hanging();
  let isOpen = false;
  const { set, clock } = await opened(t, [
    // Opening a session asks for the status too.
    text('hangs', () => (isOpen ? hang() : 'not yet')),
    text('throws', () => {
      throw new Error('no words');
    }),
    text('blank', () => '  '),
    text('fine', () => 'fine'),
  ]);
  isOpen = true;
  const inTime = async <T>(fire: () => Promise<T>): Promise<T> => {
    const asked = next();
    const fired = fire();
    await asked;
    await clock.advance(2000);
    return await fired;
  };
  const prompts = await inTime(() => promptBlocks(set));
  const tails = await inTime(() => tailBlocks(set, { recent: ['hello'] }));
  const statuses = await inTime(() => statusSegments(set));
  assert.deepEqual(prompts, [{ owner: 'fine', text: 'fine' }]);
  assert.deepEqual(tails, [{ owner: 'fine', text: 'fine' }]);
  assert.deepEqual(statuses, [{ owner: 'fine', segments: { said: 'fine' } }]);
});

test('a hook is told the settings of now, its session, and the agent of the turn', async (t) => {
  const told: unknown[] = [];
  const curious = defineExtension({
    name: 'curious',
    version: '1.0.0',
    settings: { word: s.string({ default: 'calm' }) },
    on: {
      beforeAgentStart(_event, { settings, session, agent }) {
        told.push([settings.word, session.id, agent?.name]);
      },
    },
  });
  hygiene(t);
  const { hub, peer, newSession, newAgent } = await testHub(t, { extensions: [curious] });
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  using set = await hub.liveSet({ session, agent: ann });
  await fireBeforeAgentStart(set);
  await (await peer.open(ann.id)).doc('extension_settings').set(['curious', 'word'], 'of the agent');
  await fireBeforeAgentStart(set);
  await (await peer.open(session)).doc('extension_settings').set(['curious', 'word'], 'of the session');
  await fireBeforeAgentStart(set);
  assert.deepEqual(told, [
    ['calm', session, 'ann'],
    ['of the agent', session, 'ann'],
    ['of the session', session, 'ann'],
  ]);
});

test('a gate whose settings cannot be read denies what it judges', async (t) => {
  const { set, peer, session } = await opened(t, [tools, gate('strict', () => undefined, ['judged'])]);
  const database = await peer.open(session);
  await database.doc('extension_settings').set(['strict', 'x'], 1);
  const broken = t.mock.method(Object.getPrototypeOf(database.doc('x')), 'get', () =>
    Promise.reject(new Error('disk')),
  );
  assert.equal((await call(set, 'judged')).code, 'gate_unavailable');
  broken.mock.restore();
  assert.equal((await call(set, 'judged')).text, 'ran');
});

const guard = (gates?: readonly string[]) =>
  defineExtension({
    name: 'guard',
    version: '1.0.0',
    session: {
      open() {
        throw new Error('no key');
      },
      ...(gates === undefined ? {} : { gates }),
      on: { toolCall: () => undefined },
    },
  });

test('a gate that cannot be built denies exactly what it judges, in this turn and the next, naming the way out', async (t) => {
  const { hub, peer, clock, session, set } = await opened(t, [tools, guard(['judg*'])]);
  using next = await hub.liveSet({ session });
  for (const turn of [set, next]) {
    const end = await call(turn, 'judged');
    assert.deepEqual([end.certainty, end.code], ['not_started', 'gate_unavailable']);
    assert.match(end.text, /^blocked by guard: .*no key.*\/extensions remove guard/);
    assert.equal((await call(turn, 'free')).text, 'ran');
  }
  await deactivate(await peer.open(session), 'guard', clock);
  using after = await hub.liveSet({ session });
  assert.equal((await call(after, 'judged')).text, 'ran');
});

test('a gate without a list denies every tool while it cannot be built', async (t) => {
  const { set } = await opened(t, [tools, guard()]);
  assert.equal((await call(set, 'judged')).code, 'gate_unavailable');
  assert.equal((await call(set, 'free')).code, 'gate_unavailable');
});

test('a gate that an agent has opted out of denies nothing for that agent', async (t) => {
  const { hub, peer, clock, session, newAgent } = await opened(t, [tools, guard(['judged'])]);
  const ann = await newAgent('ann');
  await deactivate(await peer.open(ann.id), 'guard', clock);
  using set = await hub.liveSet({ session, agent: ann });
  assert.equal((await call(set, 'judged')).text, 'ran');
});

test('a gate that was refused at install denies, and not for an agent that has opted out of it', async (t) => {
  const { hub, peer, clock, session, newAgent } = await opened(t, [tools]);
  const needy = new FakeExtension('needy', {
    hooks: ['tool_call'],
    requires: [{ kind: 'example.nobody' }],
  });
  const { refused } = await hub.install([needy.source()]);
  assert.deepEqual(
    refused.map(({ name, code }) => [name, code]),
    [['needy', 'capability_missing']],
  );
  const { ref } = needy.source();
  await activate(await peer.open(session), { name: 'needy', ref }, clock);
  const ann = await newAgent('ann');
  {
    using set = await hub.liveSet({ session, agent: ann });
    assert.equal((await call(set, 'free')).code, 'gate_unavailable');
  }
  await deactivate(await peer.open(ann.id), 'needy', clock);
  using set = await hub.liveSet({ session, agent: ann });
  assert.equal((await call(set, 'free')).text, 'ran');
});

test('a gate whose own cap is not provided denies, and none of its handlers runs', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession } = await testHub(t, { extensions: [tools] });
  const provider = new FakeExtension('provider', { provides: ['example.law'] });
  const judge = new FakeExtension('judge', {
    hooks: ['tool_call'],
    requires: [{ kind: 'example.law' }],
  });
  for (const extension of [provider, judge])
    extension.onOpen = async () => ({
      tools: [],
      commands: [],
      hooks: extension === judge ? ['tool_call'] : [],
      prompt: false,
      tail: false,
      status: false,
      caps: extension === provider ? [{ kind: 'example.law', methods: ['ask'] }] : [],
      routines: [],
      uses: [],
    });
  await hub.install([provider.source(), judge.source()]);
  const session = await newSession();
  const { active } = await hub.openSession(session);
  using set = await hub.liveSet({ session });
  assert.equal((await call(set, 'judged')).text, 'ran');
  await deactivate(await peer.open(session), 'provider', clock);
  using without = await hub.liveSet({ session });
  const end = await call(without, 'judged');
  assert.equal(end.code, 'gate_unavailable');
  assert.match(end.text, /^blocked by judge: .*waiting for example\.law/);
  const ref = active.get('provider');
  assert.ok(ref !== undefined);
  await activate(await peer.open(session), { name: 'provider', ref }, clock);
  using again = await hub.liveSet({ session });
  assert.equal((await call(again, 'judged')).text, 'ran');
});

test('a gate whose worker is dead denies in the turn that it died in and the next, until it is back', async (t) => {
  hygiene(t);
  const { hub, clock, newSession } = await testHub(t, { extensions: [tools] });
  const judge = new FakeExtension('judge', { hooks: ['tool_call'] });
  judge.manifest = { ...judge.manifest, gates: ['judged'] };
  judge.onOpen = async () => ({
    tools: [],
    commands: [],
    hooks: ['tool_call'],
    gates: ['judged'],
    prompt: false,
    tail: false,
    status: false,
    caps: [],
    routines: [],
    uses: [],
  });
  await hub.install([judge.source()]);
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  assert.equal((await call(set, 'judged')).text, 'ran');
  // It does not come back by itself for a while.
  judge.onStart = () => {
    throw Object.assign(new Error('no memory'), { code: 'extension_load_failed' });
  };
  judge.carrier.die();
  for (const turn of [set, await hub.liveSet({ session })]) {
    const end = await call(turn, 'judged');
    assert.deepEqual([end.certainty, end.code], ['not_started', 'gate_unavailable']);
    assert.match(end.text, /^blocked by judge: /);
    assert.equal((await call(turn, 'free')).text, 'ran');
    turn[Symbol.dispose]();
  }
  judge.onStart = () => {};
  await clock.advance(10_000);
  using back = await hub.liveSet({ session });
  assert.equal((await call(back, 'judged')).text, 'ran');
});

test('an extension whose code does not start denies what it judged when it was loaded, until it starts', async (t) => {
  hygiene(t);
  const { hub, newSession } = await testHub(t, { extensions: [tools] });
  const judge = new FakeExtension('judge', { hooks: ['tool_call'] });
  judge.onStart = () => {
    throw new Error('line 3');
  };
  await hub.install([{ ...judge.source(), manifest: { ...judge.manifest, gates: ['judged'] } }]);
  const session = await newSession();
  await hub.openSession(session);
  {
    using set = await hub.liveSet({ session });
    const end = await call(set, 'judged');
    assert.deepEqual([end.certainty, end.code], ['not_started', 'gate_unavailable']);
    assert.match(end.text, /^blocked by judge: it cannot run now \(line 3\)/);
    assert.equal((await call(set, 'free')).text, 'ran');
  }
  judge.onStart = () => {};
  assert.equal((await hub.replace('judge', judge.source())).ok, true);
  using set = await hub.liveSet({ session });
  assert.equal((await call(set, 'judged')).text, 'ran');
});

test('an extension that is refused at install denies what its manifest judges, where it is on', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession } = await testHub(t, { extensions: [tools] });
  const judge = new FakeExtension('judge', {
    hooks: ['tool_call'],
    commands: ['verdict'],
    requires: [{ kind: 'example.law' }],
  });
  judge.manifest = { ...judge.manifest, gates: ['judged'] };
  const unread = new FakeExtension('unread');
  unread.onStart = () => {
    throw new Error('no such file');
  };
  await hub.install([judge.source(), unread.source()]);
  const session = await newSession();
  await hub.openSession(session);
  {
    using set = await hub.liveSet({ session });
    assert.deepEqual(
      set.waiting.map(({ extension, code }) => [extension, code]),
      [
        ['judge', 'capability_missing'],
        ['unread', 'extension_load_failed'],
      ],
    );
    assert.equal((await call(set, 'judged')).code, 'gate_unavailable');
    assert.equal((await call(set, 'free')).text, 'ran');
  }
  await deactivate(await peer.open(session), 'judge', clock);
  using set = await hub.liveSet({ session });
  assert.equal((await call(set, 'judged')).text, 'ran');
});

test('a hook that the manifest does not declare is left out and named', async (t) => {
  hygiene(t);
  const { hub, newSession, reports } = await testHub(t, { extensions: [tools] });
  const liar = new FakeExtension('liar');
  liar.onOpen = async () => ({
    tools: [],
    commands: [],
    hooks: ['tool_call'],
    prompt: true,
    tail: false,
    status: false,
    caps: [],
    routines: [],
    uses: [{ alias: 'law', kind: 'example.law', optional: true }],
  });
  await hub.install([liar.source()]);
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  assert.deepEqual([set.hooks.tool_call, set.prompts], [[], []]);
  assert.deepEqual(
    set.refused.map(({ extension, code, what }) => [extension, code, what]),
    [
      ['liar', 'hook_undeclared', 'tool_call'],
      ['liar', 'capability_not_declared', 'prompt_augmentation'],
      ['liar', 'capability_not_declared', 'example.law'],
    ],
  );
  assert.deepEqual(reports.filter(({ extension }) => extension === 'liar').length, 3);
});
