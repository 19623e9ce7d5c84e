import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { defineCap, memory, messenger } from '../src/authoring/cap.ts';
import { isExtension } from '../src/authoring/definition.ts';
import { defineExtension, makeExtension } from '../src/authoring/extension.ts';
import type { Contributions } from '../src/carrier/carrier.ts';
import { checkContributions } from '../src/manifest/check-contributions.ts';
import { checkExtension } from '../src/manifest/check-extension.ts';
import { HOST_ONLY_KINDS, PROVIDABLE_KINDS } from '../src/manifest/kinds.ts';
import type { Manifest } from '../src/manifest/manifest.ts';
import { manifestFaultText } from '../src/manifest/manifest-fault.ts';
import { manifestText, sameManifest } from '../src/manifest/manifest-text.ts';
import { validateManifest } from '../src/manifest/validate-manifest.ts';
import { s } from '../src/schema/builder.ts';

const Weather = defineCap<{ now(input: { city: string }): Promise<number> }>('example.weather', {
  now: true,
});

const minimal: Manifest = {
  api: 1,
  name: 'dice',
  version: '1.0.0',
  scopes: ['global'],
  hooks: [],
  requires: [],
  requests: [],
  provides: [],
  settings: { type: 'object', properties: {}, additionalProperties: false },
  tools: [],
  commands: [],
  routines: [],
};

/** What is said of a manifest that differs from the minimal one. */
function judged(change: object): string {
  const reading = validateManifest({ ...minimal, ...change });
  return reading.ok ? 'ok' : manifestFaultText(reading.fault);
}

test('a minimal manifest is good, and an extension that contributes nothing has one', () => {
  assert.equal(judged({}), 'ok');
  const bare = defineExtension({ name: 'bare', version: '1' });
  assert.deepEqual(bare.manifest.scopes, ['global']);
  assert.deepEqual(checkExtension(bare), []);
  assert.deepEqual(
    [isExtension(bare), isExtension({ manifest: bare.manifest }), isExtension(null)],
    [true, false, false],
  );
});

test('an empty name is refused, before any other rule of names', () => {
  assert.equal(judged({ name: '' }), 'empty_name: /name must not be empty');
});

test('each host-only kind is refused where it is provided', () => {
  for (const kind of HOST_ONLY_KINDS)
    assert.equal(
      judged({ provides: [kind] }),
      'host_only_in_provides: /provides/0 is offered by the host alone',
    );
});

test('each providable kind may be provided, required and requested', () => {
  for (const kind of [...PROVIDABLE_KINDS, 'example.weather']) {
    assert.equal(judged({ provides: [kind] }), 'ok');
    assert.equal(judged({ requires: [{ kind }] }), 'ok');
    assert.equal(judged({ requests: [{ kind, provider: 'telegram' }] }), 'ok');
  }
});

test('what is provided, hooked, required or requested twice is refused, and the list is named', () => {
  assert.equal(
    judged({ provides: ['memory', 'memory'] }),
    'duplicate_provides: /provides/1 is provided twice',
  );
  assert.equal(judged({ hooks: ['tool_call', 'tool_call'] }), 'duplicate_hook: /hooks/1 is declared twice');
  const twice = [{ kind: 'memory' }, { kind: 'memory' }];
  assert.equal(judged({ requires: twice }), 'duplicate_request: /requires/1 stands twice in requires');
  assert.equal(judged({ requests: twice }), 'duplicate_request: /requests/1 stands twice in requests');
});

test('one kind from different providers is two needs, in one list and across lists', () => {
  const from = (provider: string) => ({ kind: 'messenger', provider });
  assert.equal(judged({ requires: [from('telegram'), from('matrix'), { kind: 'messenger' }] }), 'ok');
  assert.equal(judged({ requires: [from('telegram')], requests: [from('matrix')] }), 'ok');
});

test('the same need cannot be required and requested', () => {
  assert.equal(
    judged({ requires: [{ kind: 'memory' }], requests: [{ kind: 'memory' }] }),
    'required_and_requested: /requests/0 is required and requested alike',
  );
});

test('the first rule that is broken wins, in the order of the rules', () => {
  const all = {
    name: '',
    provides: ['settings', 'memory', 'memory'],
    hooks: ['tool_call', 'tool_call'],
    requires: [{ kind: 'memory' }, { kind: 'memory' }],
    requests: [{ kind: 'memory' }],
  };
  const order: string[] = [];
  const mend: Record<string, object> = {
    empty_name: { name: 'dice' },
    host_only_in_provides: { provides: ['memory', 'memory'] },
    duplicate_provides: { provides: ['memory'] },
    duplicate_hook: { hooks: ['tool_call'] },
    duplicate_request: { requires: [{ kind: 'memory' }] },
    required_and_requested: { requests: [] },
  };
  let change: object = all;
  for (let round = 0; round < 7; round += 1) {
    const [check = ''] = judged(change).split(':');
    order.push(check);
    change = { ...change, ...mend[check] };
  }
  assert.deepEqual(order, [...Object.keys(mend), 'ok']);
});

test('another version of the API is told apart from a broken manifest', () => {
  const reading = validateManifest({ ...minimal, api: 2, name: '' });
  assert.ok(!reading.ok);
  assert.equal(reading.fault.code, 'api_unsupported');
  assert.equal(validateManifest({ ...minimal, name: 'Dice' }).ok, false);
});

test('a manifest has every member, of its type, and no other', () => {
  assert.equal(judged({ extra: 1 }), 'shape: /extra is not a member of a manifest');
  assert.equal(judged({ name: 5 }), 'shape: /name must be a string');
  assert.equal(judged({ api: '1' }), 'shape: /api must be a number');
  assert.equal(judged({ version: undefined }), 'shape: /version must be present');
  assert.equal(judged({ hooks: 'tool' }), 'shape: /hooks must be a list');
  assert.equal(judged({ hooks: [5] }), 'shape: /hooks/0 must be a string');
  assert.equal(judged({ tools: [5] }), 'shape: /tools/0 must be an object');
  assert.equal(judged({ settings: [] }), 'shape: /settings must be an object');
  assert.equal(
    judged({ requires: [{ kind: 'memory', why: 'x' }] }),
    'shape: /requires/0/why is not a member of a manifest',
  );
  assert.equal(
    judged({ requires: [{ kind: 'memory', provider: 5 }] }),
    'shape: /requires/0/provider must be a string',
  );
  for (const bad of [null, 5, 'x', [], () => 1]) assert.equal(validateManifest(bad).ok, false);
});

test('names fit their patterns', () => {
  for (const name of ['Dice', '1dice', 'd ice', 'path', ' ', 'd'.repeat(41)])
    assert.match(judged({ name }), /^name: \/name must be a small letter/);
  assert.equal(judged({ name: `d${'_'.repeat(39)}` }), 'ok');
  assert.match(judged({ version: '' }), /^name: \/version/);
  assert.match(judged({ version: '1 2' }), /^name: \/version/);
  const tool = (name: string) => ({
    hooks: ['tool'],
    tools: [{ name, about: 'x', args: { type: 'object' }, scope: 'global' }],
  });
  assert.equal(judged(tool('a-Z_9')), 'ok');
  for (const name of ['9a', 'a b', 'a.b', 'a'.repeat(65), ''])
    assert.match(judged(tool(name)), /^tools: \/tools\/0\/name/);
  const command = (name: string) => ({
    hooks: ['command'],
    commands: [{ name, about: 'x', args: { type: 'object' }, scope: 'global' }],
  });
  assert.equal(judged(command('a-9')), 'ok');
  for (const name of ['A', 'a_b', 'a'.repeat(33)])
    assert.match(judged(command(name)), /^commands: \/commands\/0\/name/);
  const setting = (key: string) => ({
    settings: { type: 'object', properties: { [key]: { type: 'null' } } },
  });
  assert.equal(judged(setting('a_9')), 'ok');
  for (const key of ['_a', 'a-b', 'a'.repeat(65)])
    assert.match(judged(setting(key)), /^settings: \/settings\/properties\//);
});

test('scopes, hooks, gates and kinds are known ones', () => {
  assert.match(judged({ scopes: [] }), /^scopes/);
  assert.match(judged({ scopes: ['global', 'global'] }), /^scopes: \/scopes\/1/);
  assert.match(judged({ scopes: ['peer'] }), /^scopes: \/scopes\/0/);
  assert.match(judged({ hooks: ['toolCall'] }), /^hooks: \/hooks\/0 is not a kind of hook/);
  assert.equal(judged({ gates: ['shell', 'fs_*', '*'] }), 'ok');
  for (const gate of ['', '**', 'a*b', '9']) assert.match(judged({ gates: [gate] }), /^gates: \/gates\/0/);
  assert.match(judged({ gates: Array(65).fill('a') }), /^gates: \/gates must not have more than 64/);
  assert.match(judged({ provides: ['weather'] }), /^capability: \/provides\/0/);
  assert.match(judged({ requires: [{ kind: 'weather' }] }), /^capability: \/requires\/0\/kind/);
  assert.match(
    judged({ requests: [{ kind: 'settings', provider: 'core' }] }),
    /^capability: \/requests\/0\/provider/,
  );
  assert.match(judged({ requires: [{ kind: 'memory', agents: [] }] }), /^capability: \/requires\/0\/agents/);
  assert.equal(judged({ requires: [{ kind: 'agent_state_admin', agents: [] }] }), 'ok');
  const caps = Array.from({ length: 17 }, (_, index) => `example.c${index}`);
  assert.match(judged({ provides: caps }), /^capability: \/provides must not have more than 16/);
});

test('tools and commands are bounded, described, declared, and stand once at a scope', () => {
  const tool = { name: 'roll', about: 'x', args: { type: 'object' }, scope: 'global' };
  const tools = (...list: object[]) =>
    judged({ hooks: ['tool'], tools: list, scopes: ['global', 'session'] });
  assert.equal(tools(tool, { ...tool, scope: 'session' }), 'ok');
  assert.match(tools(tool, tool), /^tools: \/tools\/1\/name stands twice/);
  assert.match(tools({ ...tool, about: ' ' }), /^tools: \/tools\/0\/about/);
  assert.match(tools({ ...tool, about: 'x'.repeat(1025) }), /^tools: \/tools\/0\/about/);
  assert.match(tools({ ...tool, scope: 'agent' }), /^tools: \/tools\/0\/scope/);
  assert.match(
    tools({ ...tool, args: { type: 'string' } }),
    /^tools: \/tools\/0\/args must be a schema of an object/,
  );
  assert.match(
    tools({ ...tool, args: { type: 'object', properties: { a: { type: 'string', format: 'date' } } } }),
    /^tools: \/tools\/0\/args\/properties\/a\/format is a keyword/,
  );
  assert.match(
    tools(...Array.from({ length: 65 }, (_, index) => ({ ...tool, name: `t${index}` }))),
    /^tools: \/tools must not have more than 64 names/,
  );
  assert.match(judged({ tools: [tool] }), /^hooks: \/hooks must declare tool/);
  assert.match(judged({ commands: [tool] }), /^hooks: \/hooks must declare command/);
});

test('a routine has one trigger at most, and an id of its own', () => {
  const routines = (...list: object[]) => judged({ routines: list });
  const routine = { id: 'hourly', scope: 'global' };
  assert.equal(routines(routine), 'ok');
  assert.equal(routines({ ...routine, cron: '0 * * * *' }), 'ok');
  assert.equal(routines({ ...routine, every_ms: 1000 }), 'ok');
  assert.match(
    routines({ ...routine, cron: '0 * * *' }),
    /^routines: \/routines\/0\/cron must have 5, 6 or 7/,
  );
  assert.match(routines({ ...routine, every_ms: 999 }), /^routines: \/routines\/0\/every_ms/);
  assert.match(
    routines({ ...routine, every_ms: 1000, cron: '0 * * * *' }),
    /^routines: \/routines\/0 must not/,
  );
  assert.match(routines(routine, routine), /^routines: \/routines\/1\/id stands twice/);
  assert.match(routines({ ...routine, id: '' }), /^routines: \/routines\/0\/id/);
  assert.match(routines({ ...routine, scope: 'agent' }), /^routines: \/routines\/0\/scope/);
  assert.match(
    routines(...Array.from({ length: 17 }, (_, index) => ({ ...routine, id: `r${index}` }))),
    /^routines: \/routines must not have more than 16/,
  );
});

test('a realistic extension’s manifest is derived whole, and good', () => {
  const extension = defineExtension({
    name: 'weather',
    version: '1.2.0',
    settings: { unit: s.enum(['C', 'F'], { default: 'C' }) },
    uses: {
      chat: messenger.from('telegram').optional,
      again: messenger.from('telegram').optional,
      store: memory,
    },
    access: ['session_read'],
    tools: { forecast: { about: 'Forecast.', args: { city: s.string() }, run: () => 'x' } },
    commands: { tell: { about: 'Tell.', run: () => 'x' } },
    on: { toolCall: () => {}, agentEnd: () => {} },
    gates: ['forecast'],
    prompt: () => 'x',
    provides: { weather: { cap: Weather, impl: { now: () => 1 } } },
    routines: { hourly: { about: 'x', cron: '0 * * * *', run: () => {} } },
    session: {
      tools: { forecast: { about: 'Forecast here.', run: () => 'x' } },
      on: { toolCall: () => {} },
      gates: ['fs_*', 'forecast'],
      tail: () => 'x',
      provides: { weather: { cap: Weather, impl: { now: () => 2 } } },
      routines: { often: { about: 'x', everyMs: 60_000, run: () => {} } },
    },
  });
  const none = { type: 'object', properties: {}, required: [], additionalProperties: false } as const;
  assert.deepEqual(extension.manifest, {
    api: 1,
    name: 'weather',
    version: '1.2.0',
    scopes: ['global', 'session'],
    hooks: ['tool_call', 'agent_end', 'tool', 'command'],
    gates: ['forecast', 'fs_*'],
    requires: [
      { kind: 'session_read' },
      { kind: 'settings' },
      { kind: 'tool_registration' },
      { kind: 'command_registration' },
      { kind: 'memory' },
    ],
    requests: [{ kind: 'messenger', provider: 'telegram' }],
    provides: ['example.weather', 'prompt_augmentation', 'context_tail'],
    settings: {
      type: 'object',
      properties: { unit: { type: 'string', default: 'C', enum: ['C', 'F'] } },
      required: [],
      additionalProperties: false,
    },
    tools: [
      {
        name: 'forecast',
        about: 'Forecast.',
        args: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
          additionalProperties: false,
        },
        scope: 'global',
      },
      { name: 'forecast', about: 'Forecast here.', args: none, scope: 'session' },
    ],
    commands: [{ name: 'tell', about: 'Tell.', args: none, scope: 'global' }],
    routines: [
      { id: 'hourly', cron: '0 * * * *', scope: 'global' },
      { id: 'often', every_ms: 60_000, scope: 'session' },
    ],
  } satisfies Manifest);
  assert.deepEqual(checkExtension(extension), []);
});

test('gates name nothing where one part judges every tool, or none judges any', () => {
  const every = defineExtension({
    name: 'a',
    version: '1',
    on: { toolCall: () => {} },
    gates: ['x'],
    session: { on: { toolCall: () => {} } },
  });
  assert.equal('gates' in every.manifest, false);
  assert.equal('gates' in defineExtension({ name: 'a', version: '1', session: {} }).manifest, false);
});

test('only the scopes that the literal has are scopes', () => {
  const scopes = (literal: object) =>
    defineExtension({ name: 'a', version: '1', ...literal }).manifest.scopes;
  assert.deepEqual(scopes({ session: {} }), ['session']);
  assert.deepEqual(scopes({ agent: {}, session: {}, tail: () => 'x' }), ['global', 'agent', 'session']);
  assert.deepEqual(scopes({ settings: {}, agent: {} }), ['agent']);
});

test('a schema of another library stands in the manifest as JSON, or is told why not', () => {
  const tool = (args: z.ZodType) =>
    defineExtension({ name: 'a', version: '1', tools: { t: { about: 'x', args, run: () => 'x' } } });
  const good = tool(z.object({ n: z.int().min(1).max(3).default(2) }));
  assert.deepEqual(good.manifest.tools[0]?.args, {
    type: 'object',
    properties: { n: { default: 2, type: 'integer', minimum: 1, maximum: 3 } },
    additionalProperties: false,
  });
  assert.deepEqual(checkExtension(good), []);
  const [unfit] = checkExtension(tool(z.object({ mail: z.email() })));
  assert.match(
    unfit?.message ?? '',
    /^tools: \/tools\/0\/args\/properties\/mail\/(format|pattern) is a keyword/,
  );
  const [odd] = checkExtension(tool(z.object({ at: z.date() })));
  assert.match(odd?.message ?? '', /^tools: \/tools\/0\/args\/unconvertible is a keyword/);
});

test('what the manifest does not show is checked on the literal', () => {
  const extension = defineExtension({
    name: 'a',
    version: '1',
    gates: ['x'],
    tools: {
      t: {
        about: 'x',
        args: { a: s.string() },
        risk: 'huge' as 'high',
        run: 5 as never,
      },
      u: { about: 'x', approval: 'maybe' as 'never', run: () => 'x' },
      v: { about: 'x', effect: 'none' as 'read', run: () => 'x' },
      w: { about: 'x', timeoutMs: 3_600_001, run: () => 'x' },
      x: { about: 'x', perMinute: -1, run: () => 'x' },
      y: { about: 'x', sensitive: 'a' as never, run: () => 'x' },
      z: { about: 'x', args: { a: s.string() }, sensitive: ['b' as 'a'], run: () => 'x' },
    },
    provides: { weather: { cap: Weather, impl: {} as never } },
    on: { tollCall: () => {}, agentEnd: 5 } as never,
    tail: 'x' as never,
    uses: { odd: {} as never },
  });
  assert.deepEqual(
    checkExtension(extension).map(({ code, message }) => `${code} ${message}`),
    [
      'manifest_invalid global.tail is no function',
      'manifest_invalid global.on.tollCall is not a hook (is toolCall meant?)',
      'manifest_invalid global.on.agentEnd is no function',
      'manifest_invalid global.gates stands without on.toolCall',
      'manifest_invalid global.tools.t.run is no function',
      'manifest_invalid global.tools.t: risk must be low, medium or high',
      'manifest_invalid global.tools.u: approval must be never, unless_auto_approved or always',
      'manifest_invalid global.tools.v: effect must be read, records or write',
      'manifest_invalid global.tools.w: timeoutMs must be 1000 to 3600000',
      'manifest_invalid global.tools.x: perMinute must be an integer of 0 or more',
      'manifest_invalid global.tools.y: sensitive must be a list of argument names',
      'manifest_invalid global.tools.z.sensitive names b, which is no argument',
      'manifest_invalid global.provides.weather lacks the method now',
      'manifest_invalid uses.odd is no cap',
    ],
  );
  assert.deepEqual(checkExtension({ manifest: minimal }), [
    { code: 'extension_not_defined', message: 'it was not made by defineExtension' },
  ]);
  assert.equal(checkExtension(5).length, 1);
});

const problemsOf = (literal: object) =>
  checkExtension(makeExtension({ name: 'a', version: '1', ...literal }, false)).map(({ message }) => message);

test('a misspelt gate is told as what it is, with the name that was meant', () => {
  assert.deepEqual(problemsOf({ on: { toolcall: () => {} }, gates: ['x'] }), [
    'global.on.toolcall is not a hook (is toolCall meant?)',
    'global.gates stands without on.toolCall',
  ]);
  assert.deepEqual(problemsOf({ on: { toolCall: 5 } }), ['global.on.toolCall is no function']);
  assert.deepEqual(problemsOf({ on: 5 }), ['global.on is no object']);
});

test('a member that nothing reads is told, wherever it stands', () => {
  const run = () => 'x';
  assert.deepEqual(
    problemsOf({
      ons: { toolCall: run },
      Tools: {},
      something_else: 1,
      ['x'.repeat(70)]: 1,
      tools: { t: { about: 'x', run, aproval: 'always' } },
      commands: { c: { about: 'x', run, approval: 'always' } },
      routines: { r: { about: 'x', run, everyMS: 60_000 } },
      session: { onn: {}, tail: run, settings: {} },
      agent: 5,
    }),
    [
      'ons is no member of an extension',
      'Tools is no member of an extension (is tools meant?)',
      'something_else is no member of an extension',
      `${'x'.repeat(70)} is no member of an extension`,
      'agent is no object',
      'session.onn is no member of a part',
      'session.settings is no member of a part',
      'global.tools.t.aproval is no member of one of the tools (is approval meant?)',
      'global.commands.c.approval is no member of one of the commands',
      'global.routines.r.everyMS is no member of one of the routines (is everyMs meant?)',
    ],
  );
  assert.deepEqual(problemsOf({ tools: 5, session: { status: run } }), ['global.tools is no object']);
});

test('a manifest is one text, whatever the order of its members', () => {
  const { tools, ...rest } = minimal;
  assert.equal(sameManifest({ tools, ...rest }, minimal), true);
  assert.equal(sameManifest({ ...minimal, version: '1.0.1' }, minimal), false);
  assert.match(manifestText(minimal), /^\{\n {2}"api": 1,\n {2}"commands": \[\],/);
  assert.equal(manifestText(minimal).endsWith('}\n'), true);
});

test('what an instance contributes beyond its manifest is taken out and named', () => {
  const tool = { name: 'roll', about: 'x', args: { type: 'object' } } as const;
  const contributions = {
    tools: [
      { ...tool, runtime: false },
      { ...tool, name: 'learnt', runtime: true },
    ],
    commands: [{ ...tool, name: 'tell' }],
    hooks: ['tool_call'],
    prompt: true,
    tail: true,
    status: false,
    caps: [
      { kind: 'memory', methods: [] },
      { kind: 'messenger', methods: [] },
    ],
    routines: [{ id: 'hourly', about: 'x' }],
    uses: [
      { alias: 'store', kind: 'memory', optional: false },
      { alias: 'chat', kind: 'messenger', provider: 'telegram', optional: true },
    ],
  } as unknown as Contributions;
  const nothing = checkContributions(
    { ...minimal, provides: ['memory', 'context_tail'] },
    'global',
    contributions,
  );
  assert.deepEqual(nothing.refused, [
    { code: 'hook_undeclared', what: 'tool roll' },
    { code: 'hook_undeclared', what: 'tool learnt' },
    { code: 'hook_undeclared', what: 'command tell' },
    { code: 'hook_undeclared', what: 'tool_call' },
    { code: 'capability_not_declared', what: 'prompt_augmentation' },
    { code: 'capability_not_declared', what: 'messenger' },
    { code: 'hook_undeclared', what: 'routine hourly' },
    { code: 'capability_not_declared', what: 'memory' },
    { code: 'capability_not_declared', what: 'messenger of telegram' },
  ]);
  assert.deepEqual(
    [
      nothing.contributions.tools,
      nothing.contributions.tail,
      nothing.contributions.caps.length,
      nothing.contributions.uses,
    ],
    [[], true, 1, []],
  );
  const declared: Manifest = {
    ...minimal,
    hooks: ['tool', 'command', 'tool_call'],
    provides: ['memory', 'messenger', 'context_tail', 'prompt_augmentation'],
    tools: [{ ...tool, scope: 'global' }],
    commands: [{ ...tool, name: 'tell', scope: 'global' }],
    routines: [{ id: 'hourly', scope: 'global' }],
    requires: [{ kind: 'memory' }],
    requests: [{ kind: 'messenger', provider: 'telegram' }],
  };
  assert.deepEqual(checkContributions(declared, 'global', contributions).refused, []);
  // A need that is only requested does not stand for one that is required, nor one provider for another.
  const other: Manifest = {
    ...declared,
    requires: [],
    requests: [{ kind: 'memory' }, { kind: 'messenger', provider: 'noticeboard' }],
  };
  assert.deepEqual(
    checkContributions(other, 'global', contributions).refused.map(({ what }) => what),
    ['memory', 'messenger of telegram'],
  );
  // Declared at one scope is not declared at another.
  assert.deepEqual(
    checkContributions(declared, 'session', contributions).refused.map(({ what }) => what),
    ['tool roll', 'command tell', 'routine hourly'],
  );
});
