import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { contributionsOf, FakeExtension, held, toolOf } from '../fake-extension.ts';
import { agent, type RegistryFloor, registryFloor, session } from '../registry-floor.ts';

const ONE = session('ses_1');
const TWO = session('ses_2');
const all = new Set(['a', 'b', 'c', 'notes']);
const listed = ({ instances }: RegistryFloor, scope: Parameters<RegistryFloor['instances']['of']>[0]) =>
  instances.of(scope).map(({ extension }) => extension.name);
const turn = () => new Promise(setImmediate);

test('instances of agents are built when they are first needed, one for each agent database', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances } = floor;
  const notes = new FakeExtension('notes', { scopes: ['agent'] });
  await registry.install([notes.source(), new FakeExtension('a').source()]);
  assert.deepEqual(listed(floor, agent('agt_1')), []);
  await instances.ensure(agent('agt_1'), all);
  const [first] = instances.of(agent('agt_1'));
  assert.deepEqual([first?.kind, first?.key, first?.extension.name], ['agent', 'agt_1', 'notes']);
  assert.deepEqual(
    [...notes.carrier.instances.values()],
    [{ instance: first?.id, kind: 'agent', key: 'agt_1', name: 'agent agt_1', settings: {} }],
  );
  await instances.ensure(agent('agt_2'), all);
  await instances.ensure(agent('agt_1'), all);
  assert.notEqual(instances.of(agent('agt_2'))[0]?.id, first?.id);
  assert.equal(instances.of(agent('agt_1'))[0], first, 'the second call finds the same');
  assert.deepEqual(notes.journal.slice(1), ['open notes agent agt_1', 'open notes agent agt_2']);
});

test('nothing is built at a scope that no extension lives at, nor for a name that is not asked for', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances } = floor;
  const notes = new FakeExtension('notes');
  const a = new FakeExtension('a', { scopes: ['session'] });
  await registry.install([notes.source(), a.source()]);
  await instances.ensure(agent('agt_1'), all);
  await instances.ensure(ONE, new Set(['notes', 'nobody']));
  assert.deepEqual([listed(floor, agent('agt_1')), listed(floor, ONE)], [[], []]);
  assert.deepEqual(a.journal, ['start a']);
});

test('however many ask at once, one instance is opened, and all wait for it', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances } = floor;
  const gate = held();
  const notes = new FakeExtension('notes', { scopes: ['session'] });
  notes.onOpen = async ({ kind }) => {
    await gate.promise;
    return contributionsOf(notes.manifest, kind);
  };
  await registry.install([notes.source()]);
  const asking = Promise.all([1, 2, 3].map(() => instances.ensure(ONE, all)));
  await turn();
  assert.deepEqual(listed(floor, ONE), [], 'it is on no list before it is open');
  gate.settle();
  await asking;
  assert.deepEqual(notes.journal, ['start notes', 'open notes session ses_1']);
  assert.deepEqual(listed(floor, ONE), ['notes']);
});

test('instances of one session open side by side, and are listed in install order', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances } = floor;
  const first = held();
  const a = new FakeExtension('a', { scopes: ['session'] });
  a.onOpen = async ({ kind }) => {
    await first.promise;
    return contributionsOf(a.manifest, kind);
  };
  const b = new FakeExtension('b', { scopes: ['session'] });
  b.onOpen = async ({ kind }) => {
    first.settle();
    return contributionsOf(b.manifest, kind);
  };
  await registry.install([a.source(), b.source()]);
  await instances.ensure(ONE, all);
  assert.deepEqual(listed(floor, ONE), ['a', 'b']);
});

test('a slow session keeps no other one waiting', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances } = floor;
  const gate = held();
  const notes = new FakeExtension('notes', { scopes: ['session'] });
  notes.onOpen = async ({ kind, key }) => {
    if (key === 'ses_1') await gate.promise;
    return contributionsOf(notes.manifest, kind);
  };
  await registry.install([notes.source()]);
  const slow = instances.ensure(ONE, all);
  await instances.ensure(TWO, all);
  assert.deepEqual(listed(floor, TWO), ['notes']);
  gate.settle();
  await slow;
});

test('one that hangs again holds whoever needs the scope up for a second, and comes when it opens', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances, clock, roster } = floor;
  const notes = new FakeExtension('notes', { scopes: ['session'] });
  notes.onOpen = async () => {
    throw new Error('not yet');
  };
  await registry.install([notes.source()]);
  await instances.ensure(ONE, all);
  await clock.advance(1000);
  const gate = held();
  notes.onOpen = async ({ kind }) => {
    await gate.promise;
    return contributionsOf(notes.manifest, kind);
  };
  const done: number[] = [];
  const waiting = [1, 2].map((one) => instances.ensure(ONE, all).then(() => done.push(one)));
  await turn();
  await clock.advance(999);
  await turn();
  assert.deepEqual(done, []);
  await clock.advance(1);
  await Promise.all(waiting);
  assert.deepEqual(listed(floor, ONE), []);
  const before = roster.generation;
  gate.settle();
  await turn();
  assert.deepEqual(listed(floor, ONE), ['notes']);
  assert.notEqual(roster.generation, before, 'a live set that was built without it is not served again');
});

test('a failed one is recorded with scope, key and reason, blocks nobody, and is tried again on use after its pause', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances, clock, reports } = floor;
  const notes = new FakeExtension('notes', { scopes: ['session'] });
  let broken = true;
  notes.onOpen = async ({ kind }) => {
    if (broken) throw new Error('no space left');
    return contributionsOf(notes.manifest, kind);
  };
  await registry.install([notes.source(), new FakeExtension('a', { scopes: ['session'] }).source()]);
  await instances.ensure(ONE, all);
  assert.deepEqual(listed(floor, ONE), ['a']);
  const failure = instances.failureOf('notes', ONE);
  assert.deepEqual(
    [failure?.scope, failure?.key, failure?.code, failure?.reason, failure?.tries],
    ['session', 'ses_1', 'instantiate_failed', 'no space left', 1],
  );
  assert.equal(instances.failureOf('notes', TWO), undefined);
  assert.deepEqual(reports, [
    {
      extension: 'notes',
      scope: 'session',
      key: 'ses_1',
      code: 'instantiate_failed',
      reason: 'no space left',
    },
  ]);
  assert.equal(instances.nextRetryMs(ONE), 1000);
  await instances.ensure(ONE, all);
  assert.equal(notes.journal.length, 3, 'not before its pause is over');
  await clock.advance(1000);
  assert.equal(instances.nextRetryMs(ONE), undefined);
  await instances.ensure(ONE, all);
  assert.deepEqual([instances.failureOf('notes', ONE)?.tries, instances.nextRetryMs(ONE)], [2, 3000]);
  broken = false;
  await clock.advance(2000);
  await instances.ensure(ONE, all);
  assert.deepEqual(listed(floor, ONE), ['notes', 'a']);
  assert.equal(instances.failureOf('notes', ONE), undefined);
});

test('settings that cannot be read fail that instance alone, and nothing is left of it', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t, {
    settingsFor: (extension, scope) => {
      if (extension.name === 'a') throw new Error('unreadable');
      return { name: extension.name, scope: scope === 'global' ? 'global' : scope.name };
    },
  });
  const { registry, instances } = floor;
  const a = new FakeExtension('a', { scopes: ['session'] });
  const b = new FakeExtension('b', { scopes: ['session'] });
  await registry.install([a.source(), b.source()]);
  await instances.ensure(ONE, all);
  assert.deepEqual([listed(floor, ONE), instances.failureOf('a', ONE)?.reason], [['b'], 'unreadable']);
  assert.deepEqual(a.journal, ['start a'], 'it was never asked to open, nor to close');
  assert.deepEqual([...b.carrier.instances.values()][0]?.settings, { name: 'b', scope: 'session ses_1' });
});

test('settings that never come are given up with the opening, and nothing is opened later', async (t) => {
  hygiene(t);
  const gate = held<Record<string, never>>();
  const floor = await registryFloor(t, { settingsFor: () => gate.promise });
  const { registry, instances, clock } = floor;
  const a = new FakeExtension('a', { scopes: ['session'] });
  await registry.install([a.source()]);
  const ensuring = instances.ensure(ONE, all);
  await clock.advance(30_000);
  await ensuring;
  assert.equal(instances.failureOf('a', ONE)?.code, 'instantiate_timeout');
  gate.settle({});
  await turn();
  assert.deepEqual(a.journal, ['start a']);
});

test('closing a session ends its instances one after another, the last one opened first, and no other', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances } = floor;
  const journal: string[] = [];
  const extensions = ['a', 'b', 'c'].map((name) => new FakeExtension(name, { scopes: ['session'] }, journal));
  const closing: string[] = [];
  for (const one of extensions)
    one.onClose = async () => {
      closing.push(`${one.manifest.name} begins`);
      await turn();
      closing.push(`${one.manifest.name} ends`);
    };
  await registry.install(extensions.map((one) => one.source()));
  await instances.ensure(ONE, new Set(['a', 'c']));
  await instances.ensure(ONE, all);
  await instances.ensure(TWO, all);
  const [before] = instances.of(ONE);
  const { evictions } = instances;
  const { generation } = registry;
  const closed = instances.close(ONE);
  assert.deepEqual([listed(floor, ONE), before?.gone], [[], 'its scope was closed'], 'at once');
  await closed;
  assert.deepEqual(closing, ['b begins', 'b ends', 'c begins', 'c ends', 'a begins', 'a ends']);
  assert.equal(instances.evictions, evictions + 1);
  assert.equal(registry.generation, generation, 'nothing else is built anew');
  assert.deepEqual(listed(floor, TWO), ['a', 'b', 'c']);
  await instances.close(ONE);
  await instances.ensure(ONE, all);
  assert.deepEqual(listed(floor, ONE), ['a', 'b', 'c'], 'it may be opened again');
});

test('a close that hangs is told after 5 s and left; one that throws is told', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances, clock, reports } = floor;
  const a = new FakeExtension('a', { scopes: ['session'] });
  a.onClose = () => new Promise(() => {});
  const b = new FakeExtension('b', { scopes: ['session'] });
  b.onClose = () => Promise.reject(new Error('stuck lid'));
  await registry.install([a.source(), b.source()]);
  await instances.ensure(ONE, all);
  const closing = instances.close(ONE);
  await clock.advance(5000);
  await closing;
  assert.deepEqual(reports, [
    { extension: 'b', scope: 'session', key: 'ses_1', code: 'instance_close_late', reason: 'stuck lid' },
    {
      extension: 'a',
      scope: 'session',
      key: 'ses_1',
      code: 'instance_close_late',
      reason: 'An instance did not end within its time and was left.',
    },
  ]);
});

test('after 10 s of closing, all that is left is asked at the same time', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances, clock } = floor;
  const journal: string[] = [];
  const extensions = ['a', 'b', 'c', 'd', 'e'].map((name) => {
    const one = new FakeExtension(name, { scopes: ['session'] }, journal);
    one.onClose = () => new Promise(() => {});
    return one;
  });
  await registry.install(extensions.map((one) => one.source()));
  await instances.ensure(ONE, new Set(['a', 'b', 'c', 'd', 'e']));
  journal.length = 0;
  let done = false;
  const closing = instances.close(ONE).then(() => {
    done = true;
  });
  await clock.advance(9999);
  assert.deepEqual(journal, ['close e session ses_1', 'close d session ses_1']);
  await clock.advance(1);
  assert.deepEqual(journal.slice(2), [
    'close c session ses_1',
    'close b session ses_1',
    'close a session ses_1',
  ]);
  await clock.advance(5000);
  assert.equal(done, true);
  await closing;
});

test('a session that is closed while an instance opens gives the opening up', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances } = floor;
  const notes = new FakeExtension('notes', { scopes: ['session'] });
  notes.onOpen = () => new Promise(() => {});
  await registry.install([notes.source()]);
  const ensuring = instances.ensure(ONE, all);
  await turn();
  await instances.close(ONE);
  await ensuring;
  assert.deepEqual(notes.journal.slice(1), ['open notes session ses_1', 'close notes session ses_1']);
  assert.equal(instances.failureOf('notes', ONE), undefined, 'it is nobody’s fault');
});

test('a place opens anew only when what stood there has ended', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances } = floor;
  const gate = held();
  const notes = new FakeExtension('notes', { scopes: ['session'] });
  notes.onClose = () => gate.promise;
  await registry.install([notes.source()]);
  await instances.ensure(ONE, all);
  const closing = instances.close(ONE);
  const again = instances.ensure(ONE, all);
  await turn();
  // Taken again before it opened, it neither opens nor lets the next one open too early.
  const closingAgain = instances.close(ONE);
  const third = instances.ensure(ONE, all);
  await turn();
  assert.deepEqual(notes.journal.slice(2), ['close notes session ses_1']);
  notes.onClose = () => {};
  gate.settle();
  await Promise.all([closing, again, closingAgain, third]);
  assert.deepEqual(notes.journal.slice(2), ['close notes session ses_1', 'open notes session ses_1']);
  assert.deepEqual(listed(floor, ONE), ['notes']);
});

test('what leaves the active set is evicted, and nothing else', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances } = floor;
  const journal: string[] = [];
  const extensions = ['a', 'b', 'c'].map((name) => new FakeExtension(name, { scopes: ['session'] }, journal));
  await registry.install(extensions.map((one) => one.source()));
  await instances.ensure(ONE, all);
  journal.length = 0;
  const { evictions } = instances;
  await instances.narrow(ONE, new Set(['b']));
  assert.deepEqual(
    [listed(floor, ONE), journal],
    [['b'], ['close c session ses_1', 'close a session ses_1']],
  );
  assert.equal(instances.evictions, evictions + 1);
  await instances.narrow(ONE, new Set(['b']));
  await instances.narrow(TWO, new Set());
  assert.equal(instances.evictions, evictions + 1, 'nothing to evict is no eviction');
});

test('while a scope is pinned nothing of it is evicted; what left the set goes with the last pin', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances } = floor;
  const journal: string[] = [];
  const extensions = ['a', 'b', 'c'].map((name) => new FakeExtension(name, { scopes: ['session'] }, journal));
  await registry.install(extensions.map((one) => one.source()));
  const first = instances.pin(ONE);
  const second = instances.pin(ONE);
  await instances.ensure(ONE, all);
  journal.length = 0;
  let narrowed = 0;
  const count = () => {
    narrowed += 1;
  };
  const waiting = [
    instances.narrow(ONE, new Set()).then(count),
    instances.narrow(ONE, new Set(['a'])).then(count),
  ];
  // Asked for again before it left, it stays.
  await instances.ensure(ONE, new Set(['b']));
  first();
  first();
  await turn();
  assert.deepEqual([listed(floor, ONE), narrowed, journal], [['a', 'b', 'c'], 0, []]);
  second();
  await Promise.all(waiting);
  assert.deepEqual([listed(floor, ONE), narrowed, journal], [['a', 'b'], 2, ['close c session ses_1']]);
});

test('closing a scope, unloading and replacing do not wait for pins', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances } = floor;
  const a = new FakeExtension('a', { scopes: ['session'] });
  const b = new FakeExtension('b', { scopes: ['session'] });
  await registry.install([a.source(), b.source()]);
  const one = instances.pin(ONE);
  const two = instances.pin(TWO);
  await instances.ensure(ONE, all);
  await instances.ensure(TWO, all);
  const narrowing = instances.narrow(TWO, new Set(['a', 'b']));
  await registry.unload('a');
  await registry.replace('b', b.source({ digest: 'd2' }));
  assert.deepEqual([listed(floor, ONE), listed(floor, TWO)], [[], []]);
  await instances.ensure(TWO, all);
  await instances.close(TWO);
  await narrowing;
  assert.deepEqual(listed(floor, TWO), []);
  one();
  two();
  instances.pin('global')();
});

test('over the cap the least recently used scopes are pushed out, pinned ones and those that open stay', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t, { maxInstances: 4 });
  const { registry, instances } = floor;
  const gate = held();
  const open = async (one: FakeExtension, key: string, kind: 'session') => {
    if (key === 'slow') await gate.promise;
    return contributionsOf(one.manifest, kind);
  };
  const extensions = ['a', 'b'].map((name) => {
    const one = new FakeExtension(name, { scopes: ['global', 'session'] });
    one.onOpen = ({ key, kind }) => open(one, key, kind as 'session');
    return one;
  });
  await registry.install(extensions.map((one) => one.source()));
  await instances.ensure(ONE, all);
  await instances.ensure(TWO, all);
  await instances.ensure(ONE, all);
  const { evictions } = instances;
  await instances.ensure(session('ses_3'), all);
  assert.deepEqual(
    ['ses_1', 'ses_2', 'ses_3'].map((key) => listed(floor, session(key)).length),
    [2, 0, 2],
    'the second was used least recently',
  );
  assert.equal(instances.evictions, evictions + 1);
  assert.equal(instances.of('global').length, 2, 'global ones do not count and stay');
  // A pin keeps a scope; another goes in its place.
  const unpin = instances.pin(ONE);
  instances.pin(session('ses_3'))();
  await instances.ensure(TWO, all);
  assert.deepEqual(
    ['ses_1', 'ses_2', 'ses_3'].map((key) => listed(floor, session(key)).length),
    [2, 2, 0],
  );
  // Where everything is pinned or opening, the cap is passed until a pin goes.
  const unpinTwo = instances.pin(TWO);
  const slow = instances.ensure(session('slow'), all);
  await turn();
  await instances.ensure(session('ses_4'), all);
  assert.deepEqual(
    ['ses_1', 'ses_2', 'ses_4'].map((key) => listed(floor, session(key)).length),
    [2, 2, 2],
  );
  gate.settle();
  await slow;
  unpin();
  assert.deepEqual(
    ['ses_1', 'ses_2', 'slow', 'ses_4'].map((key) => listed(floor, session(key)).length),
    [0, 2, 0, 2],
  );
  unpinTwo();
});

test('an instance that changed is read again, and live sets are built anew only where it says something else', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances, clock, reports } = floor;
  const notes = new FakeExtension('notes', { tools: ['one'] });
  let tools = ['one'];
  let reads = 0;
  notes.onOpen = async ({ kind }) => {
    reads += 1;
    if (tools.includes('broken')) throw new Error('no list');
    return { ...contributionsOf(notes.manifest, kind), tools: tools.map((name) => toolOf(name, true)) };
  };
  await registry.install([notes.source()]);
  const [instance] = instances.of('global');
  const { host } = notes.carrier;
  const show = () => instance?.contributions.tools.map(({ name }) => name);
  let { generation } = registry;
  tools = ['one', 'two'];
  host.changed(instance?.id ?? '');
  await turn();
  assert.deepEqual([show(), registry.generation], [['one', 'two'], generation + 1]);
  ({ generation } = registry);
  // Said ten times while it rests, it is read once more.
  for (let times = 0; times < 10; times += 1) host.changed(instance?.id ?? '');
  await clock.advance(99);
  assert.equal(reads, 2);
  await clock.advance(1);
  assert.deepEqual([reads, registry.generation], [3, generation]);
  await clock.advance(100);
  tools = ['broken'];
  host.changed(instance?.id ?? '');
  await turn();
  assert.deepEqual(show(), ['one', 'two'], 'what fails leaves the old list');
  assert.deepEqual(reports, [
    { extension: 'notes', scope: 'global', code: 'instantiate_failed', reason: 'no list' },
  ]);
  host.changed('nobody');
  // Said while it rests, and then it ends: no timer is left.
  host.changed(instance?.id ?? '');
  await (await registry.unload('notes')).drained;
  assert.equal(clock.pendingTimers, 0);
  host.changed(instance?.id ?? '');
});

test('an instance that says at each look that it changed is looked at ten times a second at most', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, clock } = floor;
  const notes = new FakeExtension('notes');
  let reads = 0;
  notes.onOpen = async ({ kind, instance }, carrier) => {
    reads += 1;
    carrier.host.changed(instance);
    return contributionsOf(notes.manifest, kind);
  };
  await registry.install([notes.source()]);
  await clock.advance(1000);
  assert.equal(reads, 12);
});

test('a reading that hangs or that nobody wants any more leaves nothing', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances, clock, reports } = floor;
  const notes = new FakeExtension('notes', { scopes: ['session'] });
  await registry.install([notes.source()]);
  await instances.ensure(ONE, all);
  await instances.ensure(TWO, all);
  notes.onOpen = () => new Promise(() => {});
  for (const scope of [ONE, TWO]) notes.carrier.host.changed(instances.of(scope)[0]?.id ?? '');
  await instances.close(ONE);
  await clock.advance(30_000);
  assert.deepEqual(
    reports.map(({ key, code }) => [key, code]),
    [['ses_2', 'instantiate_failed']],
  );
  notes.onOpen = () => Promise.reject(new Error('gone'));
  await clock.advance(100);
});

test('a thousand sessions opened and closed leave nothing behind', async (t) => {
  hygiene(t);
  const floor = await registryFloor(t);
  const { registry, instances } = floor;
  const notes = new FakeExtension('notes', { scopes: ['session'] });
  await registry.install([notes.source()]);
  const ids: string[] = [];
  for (let count = 0; count < 1000; count += 1) {
    const scope = session(`ses_${count}`);
    const unpin = instances.pin(scope);
    await instances.ensure(scope, all);
    ids.push(instances.of(scope)[0]?.id ?? '');
    unpin();
    await instances.close(scope);
  }
  assert.equal(notes.carrier.instances.size, 0);
  assert.deepEqual(
    ids.filter((id) => id === '' || instances.find(id) !== undefined),
    [],
  );
});
