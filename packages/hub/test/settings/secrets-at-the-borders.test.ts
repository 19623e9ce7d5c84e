import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { defineExtension, s } from '@fairlead/extension';
import { hygiene } from '@fairlead/testing';
import { runCommand } from '../../src/dispatch/run-command.ts';
import { extensionsCommand } from '../../src/extensions-command/extensions-command.ts';
import { resolveSecrets } from '../../src/settings/secrets.ts';
import { FakeExtension } from '../fake-extension.ts';
import { testHub } from '../test-hub.ts';

const MARK = 'marker-of-the-environment';
const WORKER_MARK = 'marker-of-a-worker';

const settings = resolveSecrets({ leaky: { other: ['$', '{MARK}'].join('') } }, { MARK });

const leaky = defineExtension({
  name: 'leaky',
  version: '1.0.0',
  access: ['session_write'],
  settings: { other: s.string({ default: '' }) },
  commands: {
    leak: {
      about: 'Says what it knows.',
      async run(_input, ctx) {
        const { other } = ctx.settings;
        ctx.log.warn(`said ${other}`, { seen: [other, WORKER_MARK] });
        const from = { id: `@${other}`, name: other };
        await ctx.session.append({ type: 'message', text: `told ${other} and ${WORKER_MARK}`, from });
        return await ctx.save({ other: `a ${WORKER_MARK}` }).then(
          () => 'saved',
          (error: unknown) => `${error instanceof Error && 'code' in error ? error.code : 'no code'}`,
        );
      },
    },
  },
  status: (ctx) => ({ key: `is ${ctx.settings.other}` }),
});

const thrower = defineExtension({
  name: 'thrower',
  version: '1.0.0',
  open() {
    throw new Error(`cannot reach ${MARK} with ${WORKER_MARK}`);
  },
  tools: { x: { about: 'x', run: () => '' } },
});

test('values of the environment are in no report, failure, list, log line, status or entry, and in no file', async (t) => {
  hygiene(t);
  const { hub, peer, store, clock, folder, lines, reports, newSession } = await testHub(t, {
    extensions: [leaky, thrower],
    settings,
    secrets: [WORKER_MARK],
  });
  const unloadable = new FakeExtension('unloadable');
  unloadable.onStart = () => {
    throw new Error(`no module for ${WORKER_MARK}`);
  };
  const dying = new FakeExtension('dying');
  const report = await hub.install([unloadable.source(), dying.source()]);
  const session = await newSession();
  await hub.openSession(session);
  dying.carrier.die(`it fell over ${WORKER_MARK}`);
  using set = await hub.liveSet({ session });
  const outcome = await runCommand(set, { line: '/leak' });
  assert.deepEqual(outcome, { certainty: 'completed', value: { text: 'settings_secret' } });
  const place = { session: await peer.open(session) };
  const list = await extensionsCommand(hub.commandPorts, 'list', place);
  assert.deepEqual(
    hub.failures().map(({ name, reason }) => [name, reason]),
    [
      ['dying', 'it fell over ••••••'],
      ['thrower', 'An instance of the extension could not be opened. (cannot reach •••••• with ••••••)'],
      ['unloadable', 'no module for ••••••'],
    ],
  );
  assert.deepEqual(lines, [
    { extension: 'leaky', level: 'warn', message: 'said ••••••', data: { seen: ['••••••', '••••••'] } },
  ]);
  assert.deepEqual(await hub.outputs(session), new Map([['leaky', { key: 'is ••••••' }]]));
  const { rows } = await place.session.table('entries').tail(5);
  assert.deepEqual(
    rows.map(({ value }) => value),
    [
      {
        type: 'message',
        at: clock.wallMs(),
        from: { kind: 'client', id: 'ext:leaky/@••••••', name: '••••••' },
        text: 'told •••••• and ••••••',
      },
    ],
  );
  const shown = JSON.stringify([
    reports,
    report.refused,
    report.failures,
    hub.extensions(),
    set.waiting,
    list,
  ]);
  assert.equal(shown.includes('marker-of'), false, shown);
  assert.match(shown, /cannot reach •••••• with ••••••/);
  await hub.close();
  await peer.close();
  await store.close();
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (file.isFile())
      assert.equal((await readFile(join(file.parentPath, file.name))).includes('marker-of'), false);
});
