import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { compileSchema, type Manifest } from '@fairlead/extension/runtime';
import type { Database } from '@fairlead/store';
import { hygiene } from '@fairlead/testing';
import { readActive, readOptOuts } from '../../src/activation/active-set.ts';
import { recordActive } from '../../src/activation/record-active.ts';
import { activate } from '../../src/activation/switch.ts';
import type { CommandAnswer } from '../../src/extensions-command/command-answer.ts';
import { extensionsCommand } from '../../src/extensions-command/extensions-command.ts';
import type { ExtensionsPorts, RunningExtension } from '../../src/extensions-command/ports.ts';
import { resolveSecrets } from '../../src/settings/secrets.ts';
import { SettingsBook } from '../../src/settings/settings-book.ts';
import { copyTo, type TestPeer, testPeer } from '../test-peer.ts';

function running(name: string, part: Partial<Manifest> = {}, properties: JsonObject = {}): RunningExtension {
  const settings = { type: 'object', properties, additionalProperties: false };
  const schema = compileSchema(settings);
  assert.ok(schema.ok);
  const manifest: Manifest = {
    api: 1,
    name,
    version: '1.0.0',
    scopes: ['global'],
    hooks: ['tool'],
    requires: [],
    requests: [],
    provides: [],
    settings: settings as unknown as Manifest['settings'],
    tools: [],
    commands: [],
    routines: [],
    ...part,
  };
  return {
    name,
    ref: { kind: 'builtin', name, version: manifest.version },
    manifest,
    settings: schema.schema,
  };
}

const INSTALLED = [
  running(
    'weather',
    { version: '1.2.0', hooks: ['tool', 'command'], scopes: ['global', 'session'] },
    {
      unit: { type: 'string', enum: ['C', 'F'], default: 'C' },
      poll: { type: 'integer', minimum: 1, default: 60 },
      label: { type: 'string' },
      key: { type: 'string' },
      many: { type: 'array', items: { type: 'string' } },
      loud: { type: 'boolean' },
    },
  ),
  running('telegram', { provides: ['messenger'] }),
  running('chat', { requires: [{ kind: 'messenger', provider: 'telegram' }] }),
  running('guard', { hooks: ['tool_call'], gates: ['write_file', 'fs_*'] }),
  running('audit', { hooks: ['tool_call', 'tool_result'] }),
];

interface Opened extends TestPeer {
  readonly session: Database;
  readonly ann: Database;
  readonly ports: ExtensionsPorts;
  /** In the session, as ann. */
  run(rest: string): Promise<CommandAnswer>;
  /** In the session, where no agent answers. */
  alone(rest: string): Promise<CommandAnswer>;
}

async function opened(t: TestContext, part: Partial<ExtensionsPorts> = {}): Promise<Opened> {
  hygiene(t);
  const here = await testPeer(t, { seed: 1 });
  const { peer, clock } = here;
  const session = await peer.create('session');
  const ann = await peer.create('agent');
  await recordActive(session, INSTALLED, { peerId: peer.peerId, clock });
  const ports: ExtensionsPorts = {
    peerId: peer.peerId,
    clock,
    agents: {
      resolve: async (who) => (who === ann.root || who === 'ann' ? { id: ann.root, name: 'ann' } : null),
      open: (id) => peer.open(id),
    },
    settings: new SettingsBook(
      resolveSecrets(
        { weather: { key: ['$', '{WEATHER_KEY}'].join('') } },
        { WEATHER_KEY: 'hunter2-hunter2' },
      ),
      here.report,
    ),
    installed: () => INSTALLED,
    failed: () => [],
    failures: () => [],
    waiting: async () => [],
    ...part,
  };
  const agent = { id: ann.root, name: 'ann' };
  return {
    ...here,
    session,
    ann,
    ports,
    run: (rest) => extensionsCommand(ports, rest, { session, agent }),
    alone: (rest) => extensionsCommand(ports, rest, { session }),
  };
}

function textOf(answer: CommandAnswer): string {
  assert.ok('text' in answer, JSON.stringify(answer));
  return answer.text;
}

function errorOf(answer: CommandAnswer) {
  assert.ok('error' in answer, JSON.stringify(answer));
  return answer.error;
}

function dataOf(answer: CommandAnswer): Json {
  assert.ok('data' in answer, JSON.stringify(answer));
  return answer.data;
}

test('the list has a legend, a mark and a word for each state, version, kinds in order, scopes', async (t) => {
  const { run, alone } = await opened(t);
  assert.equal(
    textOf(await run('')),
    [
      'Extensions for ann in this session: ✓ on, ✗ off, ⚠ needs a look',
      '✓ on  weather 1.2.0 — command, tool · global, session',
      '✓ on  telegram 1.0.0 — tool · global',
      '✓ on  chat 1.0.0 — tool · global',
      '✓ on  guard 1.0.0 — tool_call · global',
      '✓ on  audit 1.0.0 — tool_call, tool_result · global',
    ].join('\n'),
  );
  assert.equal(textOf(await run('list')), textOf(await run('')));
  assert.match(textOf(await alone('')), /^Extensions in this session: /);
});

test('the list says who switched an extension off', async (t) => {
  const { run, alone } = await opened(t);
  await run('remove telegram agent');
  await run('remove guard');
  await run('remove audit');
  await run('remove audit agent');
  const lines = textOf(await run('')).split('\n');
  assert.deepEqual(lines.slice(1), [
    '✓ on   weather 1.2.0 — command, tool · global, session',
    '✗ off  telegram 1.0.0 — tool · global (session: on, agent: off)',
    '✓ on   chat 1.0.0 — tool · global',
    '✗ off  guard 1.0.0 — tool_call · global (session: off, agent: on)',
    '✗ off  audit 1.0.0 — tool_call, tool_result · global (session: off, agent: off)',
  ]);
  assert.match(textOf(await alone('')), /✗ off {2}guard 1.0.0 — tool_call · global \(session: off\)/);
});

test('the list as data says the same', async (t) => {
  const { run, session, ann, alone } = await opened(t, { installed: () => INSTALLED.slice(3, 4) });
  await run('remove guard agent');
  const data = dataOf(await run('list')) as { extensions: JsonObject[] };
  assert.deepEqual(data, {
    session: session.root,
    agent: { id: ann.root, name: 'ann' },
    extensions: [
      {
        name: 'guard',
        version: '1.0.0',
        ref: { kind: 'builtin', name: 'guard', version: '1.0.0' },
        state: 'off',
        session: true,
        agent: false,
        kinds: ['tool_call'],
        scopes: ['global'],
        troubles: [],
      },
      ...data.extensions.slice(1),
    ],
    more: 0,
  });
  assert.deepEqual(
    data.extensions.map(({ name, state }) => [name, state]),
    [
      ['guard', 'off'],
      ['audit', 'missing'],
      ['chat', 'missing'],
      ['telegram', 'missing'],
      ['weather', 'missing'],
    ],
  );
  assert.deepEqual((dataOf(await alone('list')) as JsonObject)['agent'], null);
});

test('what waits, what failed and what is missing is marked, each on one line of a bounded length', async (t) => {
  const other = await testPeer(t, { seed: 9 });
  const long = `line one\nline two \u001b[31m${'é😀'.repeat(100)}`;
  const { run, session, clock, ann } = await opened(t, {
    waiting: async () => [
      { extension: 'chat', code: 'capability_missing', reason: 'waiting for messenger from telegram' },
      { extension: 'guard', scope: 'global', code: 'instantiate_failed', reason: 'no disk' },
    ],
    failed: () => [
      {
        name: 'broken',
        ref: { kind: 'path', name: 'broken', digest: 'sha256:12' },
        code: 'extension_load_failed',
        reason: long,
      },
    ],
    failures: () => [
      {
        name: 'guard',
        scope: 'global',
        key: '',
        code: 'instantiate_failed',
        reason: 'no disk',
        tries: 1,
        nextTryMs: 5,
      },
      {
        name: 'audit',
        scope: 'session',
        key: 'ses_other',
        code: 'instantiate_failed',
        reason: 'x',
        tries: 1,
        nextTryMs: 5,
      },
      {
        name: 'audit',
        scope: 'agent',
        key: ann.root,
        code: 'instantiate_timeout',
        reason: 'slow',
        tries: 2,
        nextTryMs: 5,
      },
      {
        name: 'audit',
        scope: 'session',
        key: session.root,
        code: 'instantiate_failed',
        reason: 'y',
        tries: 1,
        nextTryMs: 5,
      },
    ],
  });
  await activate(session, { name: 'zoo', ref: { kind: 'oci', name: 'zoo', size: 5, from: 'a\nb' } }, clock);
  const lines = textOf(await run('')).split('\n');
  assert.deepEqual(
    lines.slice(3).map((line) => line.replace(/(é😀)+é?…$/, 'LONG')),
    [
      '⚠ on       chat 1.0.0 — tool · global ⚠ waiting for messenger from telegram',
      '⚠ on       guard 1.0.0 — tool_call · global ⚠ instantiate_failed: no disk',
      '⚠ on       audit 1.0.0 — tool_call, tool_result · global ⚠ instantiate_timeout: slow (and 1 more)',
      '⚠ off      broken sha256:12 — — (session: off, agent: on) ⚠ extension_load_failed: line one line two [31mLONG',
      '⚠ missing  zoo — not installed here: oci from a b size 5',
    ],
  );
  assert.equal(Array.from(/⚠ (extension_load_failed.*)$/.exec(lines[6] ?? '')?.[1] ?? '').length, 120);
  assert.ok(other);
});

test('a host without extensions says so', async (t) => {
  const { ports, peer } = await opened(t, { installed: () => [] });
  const session = await peer.create('session');
  assert.equal(
    textOf(await extensionsCommand(ports, '', { session })),
    'No extension is installed, and this session names none.',
  );
});

test('remove and add switch for the session, and say when nothing changes', async (t) => {
  const { run, session } = await opened(t);
  assert.equal(textOf(await run('add weather')), 'weather is on in this session already.');
  const removed = await run('remove weather');
  assert.equal(textOf(removed), 'weather is off in this session.');
  assert.deepEqual(dataOf(removed), { name: 'weather', target: 'session', on: false, changed: true });
  assert.equal((await readActive(session)).has('weather'), false);
  const again = await run('remove weather session');
  assert.equal(textOf(again), 'weather is off in this session already.');
  assert.deepEqual(dataOf(again), { name: 'weather', target: 'session', on: false, changed: false });
  assert.equal(textOf(await run('add weather')), 'weather is on in this session.');
  assert.equal((await readActive(session)).has('weather'), true);
});

test('remove and add switch for the agent, who never adds to the session', async (t) => {
  const { run, session, ann } = await opened(t);
  assert.equal(textOf(await run('add weather agent')), 'weather is on for ann already.');
  assert.equal(textOf(await run('remove weather agent')), 'weather is off for ann, in every session.');
  assert.deepEqual(await readOptOuts(ann), new Set(['weather']));
  assert.equal((await readActive(session)).has('weather'), true);
  assert.equal(textOf(await run('remove weather agent')), 'weather is off for ann already.');
  await run('remove weather');
  assert.equal(
    textOf(await run('add weather')),
    'weather is on in this session, and off for ann until `/extensions add weather agent`.',
  );
  await run('remove weather');
  assert.equal(
    textOf(await run('add weather agent')),
    'weather is not opted out for ann any more; it stays off in this session until `/extensions add weather`.',
  );
  await run('add weather');
  await run('remove weather agent');
  assert.equal(textOf(await run('add weather agent')), 'weather is on for ann again.');
  assert.deepEqual(await readOptOuts(ann), new Set());
});

test('taking away what judges calls, or what others need, is said plainly', async (t) => {
  const { run } = await opened(t);
  assert.equal(
    textOf(await run('remove guard')),
    'guard is off in this session.\n⚠ Warning: it judged calls of write_file, fs_*; nothing of it stops such a call now.',
  );
  assert.equal(
    textOf(await run('remove audit agent')),
    'audit is off for ann, in every session.\n⚠ Warning: it judged every tool call; nothing of it stops such a call now.',
  );
  assert.equal(
    textOf(await run('remove telegram')),
    'telegram is off in this session.\nIt provides what these need: chat.',
  );
});

test('who asks for a cap by another provider’s name needs nothing of the one that is taken away', async (t) => {
  const others = [
    running('matrix', { provides: ['messenger'] }),
    running('open', { requires: [{ kind: 'messenger' }] }),
    running('selfish', { provides: ['messenger'], requires: [{ kind: 'messenger' }] }),
  ];
  const { run, session, clock } = await opened(t, { installed: () => [...INSTALLED, ...others] });
  for (const { name, ref } of others) await activate(session, { name, ref }, clock);
  assert.equal(
    textOf(await run('remove matrix')),
    'matrix is off in this session.\nIt provides what these need: open, selfish.',
  );
  assert.equal(
    textOf(await run('remove selfish')),
    'selfish is off in this session.\nIt provides what these need: open.',
  );
});

test('a list says how many are missing beyond the first thousand', async (t) => {
  const { run, session } = await opened(t);
  for (let done = 0; done < 1200; done += 400)
    await session.commit((tx) => {
      for (let index = done; index < done + 400; index += 1) {
        const name = `x${index}`;
        const ref = { kind: 'builtin', name, version: '1.0.0' };
        tx.put('extensions', name, { kind: 'activated', name, extension_ref: ref, timestamp_ms: 1 });
      }
    });
  const lines = textOf(await run('')).split('\n');
  assert.equal(lines.length, 1 + INSTALLED.length + 1000 + 1);
  assert.equal(lines.at(-1), '⚠ and 200 more that are on and not installed here');
  assert.equal((dataOf(await run('list')) as { more: number }).more, 200);
});

test('a name that is not installed is refused with the nearest one; one that the log names can be removed', async (t) => {
  const { run, session, clock } = await opened(t);
  assert.deepEqual(errorOf(await run('add wether')), {
    code: 'extension_unknown',
    message: 'No extension of this name is installed here. (wether; did you mean weather?)',
  });
  assert.equal(
    errorOf(await run('remove xyzzyplugh')).message,
    'No extension of this name is installed here. (xyzzyplugh)',
  );
  assert.equal(errorOf(await run('remove wether agent')).code, 'extension_unknown');
  await activate(session, { name: 'zoo', ref: { kind: 'ipld', name: 'zoo', cid: 'bafy' } }, clock);
  assert.equal(errorOf(await run('add zoo')).code, 'extension_unknown');
  assert.equal(textOf(await run('remove zoo')), 'zoo is off in this session.');
});

test('an extension that is installed and does not run can be switched off', async (t) => {
  const { run, ports } = await opened(t, {
    failed: () => [
      { ...running('broken', { hooks: ['tool_call'] }), code: 'extension_crashed', reason: 'gone' },
    ],
  });
  assert.equal(textOf(await run('add broken')), 'broken is on in this session.');
  assert.match(
    textOf(await run('remove broken')),
    /^broken is off in this session\.\n⚠ Warning: it judged every tool call/,
  );
  assert.equal(ports.failed().length, 1);
});

test('where no agent answers, or it is hosted elsewhere, its log is not switched', async (t) => {
  const { alone, ports, session } = await opened(t);
  for (const line of ['remove weather agent', 'add weather agent', 'history agent'])
    assert.equal(errorOf(await alone(line)).code, 'agent_not_here');
  const far = { id: 'agt_elsewhere', name: 'bob' };
  assert.deepEqual(errorOf(await extensionsCommand(ports, 'remove weather agent', { session, agent: far })), {
    code: 'agent_not_here',
    message: 'No agent of this name or id is hosted here. (bob)',
  });
  assert.match(
    textOf(await extensionsCommand(ports, '', { session, agent: far })),
    /^Extensions for bob in this session/,
  );
  assert.equal(
    textOf(await extensionsCommand(ports, 'remove chat', { session, agent: far })),
    'chat is off in this session.',
  );
  assert.equal(
    textOf(await extensionsCommand(ports, 'add chat', { session, agent: far })),
    'chat is on in this session.',
  );
  assert.match(
    textOf(await extensionsCommand(ports, 'settings weather', { session, agent: far })),
    /"poll": 60/,
  );
});

test('settings are shown as they hold, secrets masked', async (t) => {
  const { run, ann, session } = await opened(t);
  await ann.doc('extension_settings').set(['weather', 'poll'], 5);
  await session.doc('extension_settings').set(['weather', 'label'], 'my hunter2-hunter2');
  const shown = await run('settings weather');
  assert.equal(
    textOf(shown),
    [
      'Settings of weather (set in this session: label)',
      '{',
      '  "unit": "C",',
      '  "poll": 5,',
      '  "label": "my ••••••",',
      '  "key": "••••••"',
      '}',
    ].join('\n'),
  );
  assert.deepEqual(dataOf(shown), {
    name: 'weather',
    settings: { unit: 'C', poll: 5, label: 'my ••••••', key: '••••••' },
    own: { label: 'my ••••••' },
  });
  assert.match(
    textOf(await run('settings chat')),
    /^Settings of chat \(none is set in this session\)\n\{\}$/,
  );
});

test('a setting is set as JSON or as text, whichever its schema takes; a number stays a number', async (t) => {
  const { run, session } = await opened(t);
  assert.equal(textOf(await run('set weather poll 5')), 'weather: poll is 5 in this session.');
  await run('set weather unit F');
  await run('set weather label two words, and "one more"');
  await run('set weather many ["a", "b c"]');
  await run('set weather loud true');
  assert.deepEqual(await session.doc('extension_settings').get(), {
    weather: { unit: 'F', poll: 5, label: 'two words, and one more', many: ['a', 'b c'], loud: true },
  });
  for (const [line, label] of [
    ['set weather label 5', '5'],
    ['set weather label null', 'null'],
    ['set weather label "quoted"', 'quoted'],
    ["set weather label   it’s 'a b' ", 'it’s a b'],
  ] as const) {
    await run(line);
    assert.deepEqual((await session.doc('extension_settings').get())['weather'], {
      unit: 'F',
      poll: 5,
      label,
      many: ['a', 'b c'],
      loud: true,
    });
  }
});

test('a setting that does not fit is refused, and nothing is written', async (t) => {
  const { run, session } = await opened(t);
  for (const line of [
    'set weather poll often',
    'set weather poll 0',
    'set weather unit K',
    'set weather nothing 1',
  ])
    assert.equal(errorOf(await run(line)).code, 'settings_invalid');
  assert.equal(errorOf(await run('set weather label hunter2-hunter2')).code, 'settings_secret');
  assert.equal(errorOf(await run('set wether poll 5')).code, 'extension_unknown');
  assert.equal(errorOf(await run('settings wether')).code, 'extension_unknown');
  assert.deepEqual(await session.doc('extension_settings').get(), {});
});

test('unset gives a key back to what stands below', async (t) => {
  const { run, session } = await opened(t);
  await run('set weather poll 5');
  await session.doc('extension_settings').set(['weather', 'tomorrow'], 1);
  assert.equal(textOf(await run('unset weather poll')), 'weather: poll is not set in this session any more.');
  assert.deepEqual(dataOf(await run('unset weather tomorrow')), {
    name: 'weather',
    key: 'tomorrow',
    changed: true,
  });
  assert.equal(textOf(await run('unset weather poll')), 'weather: poll is not set in this session.');
  assert.deepEqual(await session.doc('extension_settings').get(), { weather: {} });
});

test('history says who switched what, newest first, of a session or an agent', async (t) => {
  const here = await opened(t, { installed: () => INSTALLED.slice(0, 2) });
  const { run, session, clock, peer } = here;
  const other = await testPeer(t, { seed: 2 });
  await session.access.grant(other.peer.peerId, 'append');
  await clock.advance(90_000);
  await run('remove telegram');
  const copy = await copyTo(other, session);
  await activate(copy, { name: 'telegram', ref: { kind: 'builtin', name: 'telegram', version: '9' } }, clock);
  await copyTo(here, copy);
  assert.equal(
    textOf(await run('history telegram')),
    [
      `2026-01-01 00:01:30  on   telegram 9  by peer ${other.peer.peerId.slice(0, 8)}`,
      '2026-01-01 00:01:30  off  telegram  by this peer',
      '2026-01-01 00:00:00  on   telegram 1.0.0  by this peer',
    ].join('\n'),
  );
  const all = dataOf(await run('history')) as { switches: JsonObject[]; before: Json };
  assert.equal(all.switches.length, 7);
  assert.deepEqual(all.switches[1], {
    name: 'telegram',
    on: false,
    atMs: 1767225690000,
    peer: peer.peerId,
  });
  assert.equal(textOf(await run('history agent')), 'Nothing was switched yet.');
  await run('remove telegram agent');
  assert.equal(
    textOf(await run('history telegram agent')),
    '2026-01-01 00:01:30  off  telegram  by this peer',
  );
  await session
    .latest('extensions')
    .put('weather', { kind: 'deactivated', name: 'weather', timestamp_ms: 9e15 });
  assert.match(textOf(await run('history weather')), /^9000000000000000 ms {2}off {2}weather/);
  for (let index = 0; index < 50; index += 1) await run(index % 2 === 0 ? 'add weather' : 'remove weather');
  assert.match(textOf(await run('history')), /\nOlder ones are left out\.$/);
});

test('a line that does not fit answers how it is typed', async (t) => {
  const { run } = await opened(t);
  for (const [line, usage] of [
    ['add', '/extensions add <name> [session|agent]'],
    ['add weather everywhere', '/extensions add <name> [session|agent]'],
    ['remove', '/extensions remove <name> [session|agent]'],
    ['remove weather session now', '/extensions remove <name> [session|agent]'],
    ['settings', '/extensions settings <name>'],
    ['settings weather poll', '/extensions settings <name>'],
    ['set', '/extensions set <name> <key> <value…>'],
    ['set weather', '/extensions set <name> <key> <value…>'],
    ['set weather poll', '/extensions set <name> <key> <value…>'],
    ['unset weather', '/extensions unset <name> <key>'],
    ['unset weather poll unit', '/extensions unset <name> <key>'],
    ['history weather chat', '/extensions history [name] [session|agent]'],
    ['list all', '/extensions [list]'],
    ['"open', '/extensions [list]'],
  ] as const) {
    const error = errorOf(await run(line));
    assert.equal(error.code, 'command_usage', line);
    assert.equal(error.usage, usage, line);
  }
  const unknown = errorOf(await run('rmove weather'));
  assert.match(unknown.message, /there is no such sub-command; did you mean remove\?/);
  assert.match(unknown.usage ?? '', /^\/extensions \[list\]\n\/extensions add/);
  assert.match(errorOf(await run('xyzzyplugh')).message, /there is no such sub-command\)$/);
});

test('a session that this peer may not write to answers with the store’s code', async (t) => {
  const { ports, peer } = await opened(t);
  const other = await testPeer(t, { seed: 2 });
  const foreign = await other.peer.create('session', undefined, { grants: { [peer.peerId]: 'read' } });
  await peer.apply(foreign.root, JSON.parse(JSON.stringify(await foreign.since({}))));
  const place = { session: await peer.open(foreign.root) };
  assert.equal(errorOf(await extensionsCommand(ports, 'add weather', place)).code, 'access_denied');
  assert.equal(errorOf(await extensionsCommand(ports, 'set weather poll 5', place)).code, 'access_denied');
});

test('a fault of the host is no answer', async (t) => {
  const { ports, session } = await opened(t, { waiting: () => Promise.reject(new Error('a bug')) });
  await assert.rejects(extensionsCommand(ports, '', { session }), /a bug/);
});
