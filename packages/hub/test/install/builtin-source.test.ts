import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, s } from '@fairlead/extension';
import { definerFor } from '@fairlead/extension/builtin';
import { isHostOnly, isProvidable, readRef, version } from '@fairlead/extension/runtime';
import { hygiene, manualClock } from '@fairlead/testing';
import { builtinSource } from '../../src/install/builtin-source.ts';
import { names, registryFloor } from '../registry-floor.ts';

const clock = manualClock();

test('the ref of a built-in carries the version of the program, and reads back', () => {
  const { ref, tier, builtin } = builtinSource(defineExtension({ name: 'notes', version: '3.1.0' }), {
    version: '0.1.0',
    clock,
  });
  assert.deepEqual(ref, { kind: 'builtin', name: 'notes', version: '0.1.0' });
  assert.deepEqual([tier, builtin], ['in_process', true]);
  assert.equal(version(ref), '0.1.0');
  assert.deepEqual(readRef(JSON.parse(JSON.stringify(ref))), ref);
});

test('a built-in runs in the host’s thread, with its peer, and contributes from the moment it is installed', async (t) => {
  hygiene(t);
  const { registry, instances, logged } = await registryFloor(t);
  const activity = new Int32Array(new SharedArrayBuffer(4));
  const seen: unknown[] = [];
  const notes = definerFor<{ readonly answer: number }>()({
    name: 'notes',
    version: '1.0.0',
    settings: { limit: s.integer({ default: 3 }) },
    open(scope) {
      scope.log.info('open');
      seen.push(scope.peer.answer, activity[0]);
      return null;
    },
    tools: { note: { about: 'Notes.', effect: 'records', run: () => 'noted' } },
  });
  const report = await registry.install([
    builtinSource(notes, { version: '0.1.0', clock, peer: { answer: 42 }, activity, number: 7 }),
  ]);
  assert.deepEqual([names(report.installed), report.failures], [['notes'], []]);
  assert.deepEqual([seen, activity[0]], [[42, 7], 0]);
  assert.deepEqual(logged, ['notes: open']);
  assert.deepEqual(
    instances.of('global')[0]?.contributions.tools.map(({ name, effect }) => [name, effect]),
    [['note', 'records']],
  );
  assert.deepEqual(registry.get('notes')?.settings.parse({}), { ok: true, value: { limit: 3 } });
});

test('a built-in with a fault that its manifest does not show stops the start', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const faulty = defineExtension({
    name: 'faulty',
    version: '1.0.0',
    tools: { note: { about: 'Notes.', run: 'no function' as never } },
  });
  const cases: [unknown, string, string][] = [
    [faulty, 'manifest_invalid', 'global.tools.note.run is no function'],
    [
      { manifest: { name: 'odd' } },
      'extension_not_defined',
      'The module has no default export that defineExtension made.',
    ],
    [null, 'extension_not_defined', 'The module has no default export that defineExtension made.'],
    [
      defineExtension({ name: '', version: '1.0.0' }),
      'manifest_invalid',
      'empty_name: /name must not be empty',
    ],
  ];
  for (const [extension, code, message] of cases)
    await assert.rejects(registry.install([builtinSource(extension as never, { version: '0.1.0', clock })]), {
      code,
      message,
    });
  assert.deepEqual([registry.all(), registry.failed()], [[], []]);
});

test('an extension contributes at every one of its scopes through one source', async (t) => {
  hygiene(t);
  const { registry, instances } = await registryFloor(t);
  const everywhere = defineExtension({
    name: 'everywhere',
    version: '1.0.0',
    commands: { all: { about: 'Global.', run: () => '' } },
    session: {
      open: (scope) => ({ key: scope.kind }),
      commands: { here: { about: 'Of a session.', run: () => '' } },
    },
  });
  await registry.install([builtinSource(everywhere, { version: '0.1.0', clock })]);
  const scope = { kind: 'session', key: 'ses_1', name: 'first' } as const;
  await instances.ensure(scope, new Set(['everywhere']));
  const commands = [...instances.of('global'), ...instances.of(scope)].map(({ contributions }) =>
    contributions.commands.map(({ name }) => name),
  );
  assert.deepEqual(commands, [['all'], ['here']]);
  await instances.close(scope);
});

test('the six kinds of the host are never providable, the five of extensions are', () => {
  const hosts = [
    ...['session_read', 'session_write', 'settings', 'tool_registration', 'command_registration'],
    'agent_state_admin',
  ];
  const extensions = ['messenger', 'memory', 'prompt_augmentation', 'context_tail', 'status_segment'];
  assert.deepEqual(
    hosts.map((kind) => [isHostOnly(kind), isProvidable(kind)]),
    hosts.map(() => [true, false]),
  );
  assert.deepEqual(
    extensions.map((kind) => [isHostOnly(kind), isProvidable(kind)]),
    extensions.map(() => [false, true]),
  );
});
