import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene, manualClock } from '@fairlead/testing';
import { contributionsOf, FakeExtension, held } from '../fake-extension.ts';
import { names, noStore, registryFloor, session } from '../registry-floor.ts';

test('an extension that contributes nothing is installed, and changes nothing else', async (t) => {
  hygiene(t);
  const { registry, instances, reports } = await registryFloor(t);
  const minimal = new FakeExtension('minimal');
  const report = await registry.install([minimal.source()]);
  assert.deepEqual(names(report.installed), ['minimal']);
  assert.deepEqual([report.known, report.refused, report.failures, report.notes], [[], [], [], []]);
  assert.deepEqual(
    instances.of('global').map(({ id, contributions }) => [id, contributions.tools]),
    [['minimal.global.1', []]],
  );
  assert.deepEqual(reports, []);
});

test('installing nothing is fine', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const report = await registry.install([]);
  assert.deepEqual(report, { installed: [], known: [], refused: [], failures: [], notes: [] });
});

test('the same ref again is nothing to do: one instance, listed once', async (t) => {
  hygiene(t);
  const { registry, instances } = await registryFloor(t);
  const notes = new FakeExtension('notes');
  await registry.install([notes.source()]);
  const { generation } = registry;
  const again = await registry.install([notes.source(), notes.source()]);
  assert.deepEqual([again.installed, again.known, again.refused], [[], ['notes', 'notes'], []]);
  assert.deepEqual(names(registry.all()), ['notes']);
  assert.equal(instances.of('global').length, 1);
  assert.deepEqual(notes.journal, ['start notes', 'open notes global']);
  assert.equal(registry.generation, generation);
});

test('a name listed twice with one ref is instantiated once', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const notes = new FakeExtension('notes');
  const report = await registry.install([notes.source(), notes.source()]);
  assert.deepEqual([names(report.installed), report.known], [['notes'], ['notes']]);
  assert.deepEqual(notes.journal, ['start notes', 'open notes global']);
});

test('a second extension of an installed name is refused, and the first one stays', async (t) => {
  hygiene(t);
  const { registry, reports } = await registryFloor(t);
  const notes = new FakeExtension('notes');
  const other = new FakeExtension('notes', { version: '2' });
  await registry.install([notes.source()]);
  const { refused, installed } = await registry.install([other.source({ digest: 'd2' })]);
  assert.deepEqual(
    [installed, refused.map(({ name, code }) => [name, code])],
    [[], [['notes', 'extension_duplicate']]],
  );
  assert.equal(registry.get('notes')?.manifest.version, '1');
  assert.deepEqual(other.journal, []);
  assert.deepEqual(registry.failed(), []);
  assert.deepEqual(
    reports.map(({ code, extension }) => [code, extension]),
    [['extension_duplicate', 'notes']],
  );
});

test('an extension whose global instance fails is installed, and the others run', async (t) => {
  hygiene(t);
  const { registry, instances, failures, reports } = await registryFloor(t);
  const good = new FakeExtension('good');
  const bad = new FakeExtension('bad', { scopes: ['global', 'session'] });
  bad.onOpen = async (request) => {
    if (request.kind === 'global') throw new Error('no space left');
    return contributionsOf(bad.manifest, request.kind);
  };
  const report = await registry.install([bad.source(), good.source()]);
  assert.deepEqual(names(report.installed), ['bad', 'good']);
  const failure = {
    name: 'bad',
    scope: 'global',
    key: '',
    code: 'instantiate_failed',
    reason: 'no space left',
    tries: 1,
    nextTryMs: Date.UTC(2026, 0, 1) + 1000,
  };
  assert.deepEqual(report.failures, [failure]);
  assert.deepEqual(instances.failureOf('bad', 'global'), failure);
  assert.deepEqual(failures.all(), [failure]);
  assert.deepEqual(names(instances.of('global').map(({ extension }) => extension)), ['good']);
  assert.deepEqual(reports, [
    { extension: 'bad', scope: 'global', code: 'instantiate_failed', reason: 'no space left' },
  ]);
  // Its other scopes still open.
  await instances.ensure(session('ses_1'), new Set(['bad', 'good']));
  assert.deepEqual(
    instances.of(session('ses_1')).map(({ extension }) => extension.name),
    ['bad'],
  );
});

test('nothing is recorded when all is well', async (t) => {
  hygiene(t);
  const { registry, failures } = await registryFloor(t);
  const { failures: failed } = await registry.install([
    new FakeExtension('one').source(),
    new FakeExtension('two').source(),
  ]);
  assert.deepEqual([failed, failures.all()], [[], []]);
});

test('a throw in the synchronous part of start and of open is caught', async (t) => {
  hygiene(t);
  const { registry, instances } = await registryFloor(t);
  const opens = new FakeExtension('opens');
  const source = opens.source();
  const carrierThrows = {
    ...source,
    start: async (...args: Parameters<typeof source.start>) =>
      Object.assign(await source.start(...args), {
        open: () => {
          throw new Error('thrown at once');
        },
      }),
  };
  const starts = new FakeExtension('starts');
  const startThrows = {
    ...starts.source(),
    start: () => {
      throw new Error('thrown before any promise');
    },
  };
  const report = await registry.install([carrierThrows, startThrows, new FakeExtension('fine').source()]);
  assert.deepEqual(names(report.installed), ['opens', 'fine']);
  assert.deepEqual(
    report.failures.map(({ name, code, reason }) => [name, code, reason]),
    [['opens', 'instantiate_failed', 'thrown at once']],
  );
  assert.deepEqual(
    report.refused.map(({ name, code, reason }) => [name, code, reason]),
    [['starts', 'extension_load_failed', 'thrown before any promise']],
  );
  assert.equal(instances.of('global').length, 1);
});

test('whatever a loader or an extension throws or answers is a failure with a text', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const garbage = new FakeExtension('garbage');
  garbage.onOpen = async () => null as never;
  const odd = new FakeExtension('odd');
  odd.onOpen = () => Promise.reject({ [Symbol.toPrimitive]: () => ({}) });
  const empty = new FakeExtension('empty');
  empty.onOpen = () => Promise.reject(new Error(''));
  const lines = new FakeExtension('lines');
  lines.onOpen = () => Promise.reject(`one\ntwo${'!'.repeat(600)}`);
  const coded = new FakeExtension('coded');
  coded.onOpen = () => Promise.reject(Object.assign(new Error('its own code'), { code: 'settings_invalid' }));
  const system = new FakeExtension('system');
  system.onOpen = () => Promise.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' }));
  const nothing = { ...new FakeExtension('nothing').source(), start: async () => undefined as never };
  const report = await registry.install([
    ...[garbage, odd, empty, lines, coded, system].map((one) => one.source()),
    nothing,
  ]);
  const failed = report.failures.map(({ name, code, reason }) => [name, code, reason.slice(0, 30)]);
  assert.deepEqual(failed, [
    ['garbage', 'instantiate_failed', 'Cannot read properties of null'],
    ['odd', 'instantiate_failed', 'something without a text was t'],
    ['empty', 'instantiate_failed', 'no reason given'],
    ['lines', 'instantiate_failed', 'one two!!!!!!!!!!!!!!!!!!!!!!!'],
    ['coded', 'settings_invalid', 'its own code'],
    ['system', 'instantiate_failed', 'no such file'],
  ]);
  assert.equal(report.failures[3]?.reason.length, 500);
  assert.deepEqual(
    report.refused.map(({ name, code }) => [name, code]),
    [['nothing', 'extension_load_failed']],
  );
  // What it answered nonsense with was opened, so it is closed.
  assert.deepEqual(garbage.journal, ['start garbage', 'open garbage global', 'close garbage global']);
});

test('global instances open side by side: each waits for the others', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const all = held();
  let opening = 0;
  const three = ['one', 'two', 'three'].map((name) => {
    const extension = new FakeExtension(name);
    extension.onOpen = async ({ kind }) => {
      opening += 1;
      if (opening === 3) all.settle();
      await all.promise;
      return contributionsOf(extension.manifest, kind);
    };
    return extension;
  });
  const report = await registry.install(three.map((one) => one.source()));
  assert.deepEqual([names(report.installed), report.failures], [['one', 'two', 'three'], []]);
});

test('code is started side by side too, and the order stays that of the list', async (t) => {
  hygiene(t);
  const { registry, instances } = await registryFloor(t);
  const gate = held();
  const slow = new FakeExtension('slow');
  slow.onStart = () => gate.promise;
  const quick = new FakeExtension('quick');
  quick.onOpen = async ({ kind }) => contributionsOf(quick.manifest, kind);
  quick.onStart = () => gate.settle();
  await registry.install([slow.source(), quick.source()]);
  assert.deepEqual(names(registry.all()), ['slow', 'quick']);
  assert.deepEqual(
    instances.of('global').map(({ extension }) => extension.name),
    ['slow', 'quick'],
  );
});

test('an instance that is not open after 30 s is given up, and the rest does not wait any longer', async (t) => {
  hygiene(t);
  const { registry, instances, clock } = await registryFloor(t);
  const hangs = new FakeExtension('hangs');
  hangs.onOpen = () => new Promise(() => {});
  const installing = registry.install([hangs.source(), new FakeExtension('fine').source()]);
  await clock.advance(29_999);
  assert.deepEqual(
    instances.of('global').map(({ extension }) => extension.name),
    ['fine'],
  );
  await clock.advance(1);
  const report = await installing;
  assert.deepEqual(
    report.failures.map(({ name, code }) => [name, code]),
    [['hangs', 'instantiate_timeout']],
  );
  assert.deepEqual(hangs.journal, ['start hangs', 'open hangs global', 'close hangs global']);
});

test('code that is not started after a minute is refused, and ended when it comes after all', async (t) => {
  hygiene(t);
  const { registry, clock } = await registryFloor(t);
  const late = new FakeExtension('late');
  const gate = held();
  late.onStart = () => gate.promise;
  const installing = registry.install([late.source()]);
  await clock.advance(60_000);
  assert.deepEqual(
    (await installing).refused.map(({ code }) => code),
    ['extension_load_failed'],
  );
  gate.settle();
  await clock.advance(0);
  assert.deepEqual(late.journal, ['start late', 'end late']);
});

test('a later success clears the failure', async (t) => {
  hygiene(t);
  const { registry, instances, failures, clock } = await registryFloor(t);
  const shaky = new FakeExtension('shaky');
  shaky.onOpen = () => Promise.reject(new Error('not yet'));
  await registry.install([shaky.source()]);
  assert.equal(failures.all().length, 1);
  shaky.onOpen = async ({ kind }) => contributionsOf(shaky.manifest, kind);
  await instances.ensure('global', new Set(['shaky']));
  assert.equal(instances.of('global').length, 0, 'its pause is not over');
  await clock.advance(1000);
  await instances.ensure('global', new Set(['shaky']));
  assert.deepEqual([instances.of('global').length, failures.all()], [1, []]);
});

test('an invalid built-in stops everything before anything is opened', async (t) => {
  hygiene(t);
  const { registry, failures } = await registryFloor(t);
  const journal: string[] = [];
  const good = new FakeExtension('good', {}, journal);
  const loaded = new FakeExtension('loaded', {}, journal);
  const bad = new FakeExtension('bad', {}, journal);
  bad.manifest = { ...bad.manifest, provides: ['settings'] };
  await assert.rejects(
    registry.install([good.source({ builtin: true }), bad.source({ builtin: true }), loaded.source()]),
    {
      code: 'manifest_invalid',
      message: 'host_only_in_provides: /provides/0 is offered by the host alone',
      detail: { extension: 'bad' },
    },
  );
  assert.deepEqual(registry.all(), []);
  assert.deepEqual(registry.failed(), []);
  assert.deepEqual(failures.all(), []);
  assert.deepEqual(
    journal.filter((line) => line.startsWith('open')),
    [],
  );
  assert.deepEqual(journal.filter((line) => line.startsWith('end')).sort(), [
    'end bad',
    'end good',
    'end loaded',
  ]);
  // The order of a start that failed is nobody's.
  await registry.install([loaded.source(), good.source({ builtin: true })]);
  assert.deepEqual(names(registry.all()), ['loaded', 'good']);
});

test('any other invalid manifest is refused alone, listed, and looked at again only on reload', async (t) => {
  hygiene(t);
  const { registry, failures, clock } = await registryFloor(t);
  const bad = new FakeExtension('bad');
  bad.manifest = { ...bad.manifest, hooks: ['tool_call', 'tool_call'] };
  const future = new FakeExtension('future');
  future.manifest = { ...future.manifest, api: 2 };
  const liar = new FakeExtension('liar');
  const report = await registry.install([
    bad.source(),
    future.source(),
    liar.source({ name: 'honest' }),
    new FakeExtension('good').source(),
  ]);
  assert.deepEqual(names(report.installed), ['good']);
  assert.deepEqual(
    registry.failed().map(({ name, code, manifest }) => [name, code, manifest]),
    [
      ['bad', 'manifest_invalid', undefined],
      ['future', 'api_unsupported', undefined],
      ['honest', 'manifest_mismatch', undefined],
    ],
  );
  assert.deepEqual(
    failures.all().map(({ name, scope, code, nextTryMs }) => [name, scope, code, nextTryMs]),
    [
      ['bad', 'install', 'manifest_invalid', null],
      ['future', 'install', 'api_unsupported', null],
      ['honest', 'install', 'manifest_mismatch', null],
    ],
  );
  await clock.advance(3_600_000);
  assert.deepEqual(bad.journal, ['start bad', 'end bad']);
  bad.manifest = { ...bad.manifest, hooks: ['tool_call'] };
  const again = await registry.replace('bad', bad.source({ digest: 'd2' }));
  assert.equal(again.ok, true);
  assert.deepEqual(names(registry.all()), ['bad', 'good']);
  assert.deepEqual(
    failures.all().map(({ name }) => name),
    ['future', 'honest'],
  );
});

test('installing a refused name again tries it again', async (t) => {
  hygiene(t);
  const { registry, failures } = await registryFloor(t);
  const broken = new FakeExtension('broken');
  broken.onStart = () =>
    Promise.reject(Object.assign(new Error('a typo'), { code: 'typescript_unsupported' }));
  const after = new FakeExtension('after');
  await registry.install([broken.source(), after.source()]);
  assert.deepEqual(
    registry.failed().map(({ name, code, reason }) => [name, code, reason]),
    [['broken', 'typescript_unsupported', 'a typo']],
  );
  broken.onStart = () => {};
  assert.deepEqual(names((await registry.install([broken.source()])).installed), ['broken']);
  assert.deepEqual([registry.failed(), failures.all()], [[], []]);
  assert.deepEqual(names(registry.all()), ['broken', 'after'], 'it keeps its place');
});

test('commands with a name of the host are left out and told, at whatever scope', async (t) => {
  hygiene(t);
  const { registry, instances, reports } = await registryFloor(t);
  const rude = new FakeExtension('rude', { scopes: ['session'], commands: ['help', 'tell', 'approve'] });
  const report = await registry.install([rude.source()]);
  assert.deepEqual(report.notes, [
    { name: 'rude', code: 'name_reserved', reason: 'its command help was left out' },
    { name: 'rude', code: 'name_reserved', reason: 'its command approve was left out' },
  ]);
  await instances.ensure(session('ses_1'), new Set(['rude']));
  const [instance] = instances.of(session('ses_1'));
  assert.deepEqual(
    instance?.contributions.commands.map(({ name }) => name),
    ['tell'],
  );
  assert.deepEqual(instance?.refused, [
    { code: 'name_reserved', what: 'command help' },
    { code: 'name_reserved', what: 'command approve' },
  ]);
  assert.deepEqual(
    reports.map(({ code }) => code),
    ['name_reserved', 'name_reserved', 'name_reserved', 'name_reserved'],
  );
});

test('names that hide each other are told, session over agent over global, then install order', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const first = new FakeExtension('first', { tools: ['search', 'own'], commands: ['find'] });
  const second = new FakeExtension('second', { tools: ['search'], commands: ['find'] });
  await registry.install([first.source()]);
  assert.deepEqual((await registry.install([second.source()])).notes, [
    {
      name: 'second',
      code: 'name_shadowed',
      reason: 'its tool search is hidden by the one of first where both are on',
    },
    {
      name: 'second',
      code: 'name_shadowed',
      reason: 'its command find is hidden by the one of first where both are on',
    },
  ]);
  const closer = new FakeExtension('closer', { scopes: ['session'], tools: ['search'] });
  assert.deepEqual(
    (await registry.install([closer.source()])).notes.map(({ name, reason }) => [name, reason]),
    [
      ['first', 'its tool search is hidden by the one of closer where both are on'],
      ['second', 'its tool search is hidden by the one of closer where both are on'],
    ],
  );
});

test('undeclared contributions are left out and told; the rest lives', async (t) => {
  hygiene(t);
  const { registry, instances, reports } = await registryFloor(t);
  const sly = new FakeExtension('sly', { tools: ['declared'], hooks: ['agent_end'] });
  sly.onOpen = async ({ kind }) => ({
    ...contributionsOf(sly.manifest, kind),
    hooks: ['agent_end', 'tool_call'],
    caps: [{ kind: 'memory', methods: ['search'] }],
    prompt: true,
  });
  await registry.install([sly.source()]);
  const [instance] = instances.of('global');
  assert.deepEqual(instance?.contributions.hooks, ['agent_end']);
  assert.deepEqual([instance?.contributions.caps, instance?.contributions.prompt], [[], false]);
  assert.deepEqual(
    instance?.contributions.tools.map(({ name }) => name),
    ['declared'],
  );
  assert.deepEqual(instance?.refused, [
    { code: 'hook_undeclared', what: 'tool_call' },
    { code: 'capability_not_declared', what: 'prompt_augmentation' },
    { code: 'capability_not_declared', what: 'memory' },
  ]);
  assert.deepEqual(
    reports.map(({ code, extension, scope }) => [code, extension, scope]),
    [
      ['hook_undeclared', 'sly', 'global'],
      ['capability_not_declared', 'sly', 'global'],
      ['capability_not_declared', 'sly', 'global'],
    ],
  );
});

test('the first install forgets failures of an earlier start whose extensions are not installed any more', async (t) => {
  hygiene(t);
  const row = { key: '', code: 'instantiate_failed', reason: 'x', tries: 3, next_try_ms: 1 };
  const store = {
    ...noStore(),
    read: async <Row>() =>
      [
        { ...row, name: 'notes', scope: 'session' },
        { ...row, name: 'gone', scope: 'global' },
        { ...row, name: 'notes', scope: 'install', next_try_ms: null },
      ] as Row[],
  };
  const { registry, failures } = await registryFloor(t, { store });
  await registry.install([new FakeExtension('notes').source()]);
  assert.deepEqual(
    failures.all().map(({ name, scope }) => [name, scope]),
    [['notes', 'session']],
  );
  failures.record({ name: 'later', scope: 'install', key: '', code: 'extension_load_failed', reason: 'x' });
  await registry.install([new FakeExtension('maps').source()]);
  assert.equal(failures.all().length, 2);
});

test('closing gives up what still starts and opens, and takes nothing more', async (t) => {
  hygiene(t);
  const { registry, instances } = await registryFloor(t, { clock: manualClock() });
  const running = new FakeExtension('running');
  await registry.install([running.source()]);
  const opens = new FakeExtension('opens');
  opens.onOpen = () => new Promise(() => {});
  const starts = new FakeExtension('starts');
  starts.onStart = () => new Promise(() => {});
  const opened = held();
  opens.onStart = () => opened.settle();
  const opening = registry.install([opens.source()]);
  const starting = registry.install([starts.source()]);
  const refused = assert.rejects(starting, { code: 'hub_closed' });
  await opened.promise;
  await new Promise(setImmediate);
  await registry.close();
  await refused;
  await opening;
  await assert.rejects(registry.install([]), { code: 'hub_closed' });
  await assert.rejects(registry.replace('running', running.source()), { code: 'hub_closed' });
  await assert.rejects(registry.unload('running'), { code: 'hub_closed' });
  assert.deepEqual(instances.of('global'), []);
  assert.deepEqual(opens.journal, ['start opens', 'open opens global', 'close opens global', 'end opens']);
  assert.deepEqual(running.journal, [
    'start running',
    'open running global',
    'close running global',
    'end running',
  ]);
  await registry.close();
});
