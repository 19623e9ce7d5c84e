import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defineExtension, type Extension, messenger, s } from '@fairlead/extension';
import { hygiene } from '@fairlead/testing';
import type { HostedAgent } from '../../src/agent-state/agent-directory.ts';
import { callTool } from '../../src/dispatch/call-tool.ts';
import { runCommand } from '../../src/dispatch/run-command.ts';
import { extensionsCommand } from '../../src/extensions-command/extensions-command.ts';
import { type TestHub, testHub } from '../test-hub.ts';
import { testPeer } from '../test-peer.ts';

const files = defineExtension({
  name: 'files',
  version: '1.0.0',
  settings: { depth: s.integer({ default: 3 }), root: s.string({ default: '.' }) },
  tools: { read_file: { about: 'Reads a file.', run: (_input, ctx) => `depth ${ctx.settings.depth}` } },
  commands: { files: { about: 'Lists files.', run: () => 'none' } },
});

const notes = defineExtension({
  name: 'notes',
  version: '1.0.0',
  tools: { remember: { about: 'Remembers.', run: () => 'done' } },
  session: { tail: () => 'Notes: none' },
});

const broken = defineExtension({
  name: 'broken',
  version: '1.0.0',
  open: () => {
    throw new Error('no database');
  },
  tools: { mend: { about: 'Mends.', run: () => 'done' } },
});

interface Opened extends TestHub {
  readonly session: string;
  readonly ann: HostedAgent;
  /** Gives a line in a session, as ann, and answers its text. */
  run(rest: string, session?: string): Promise<string>;
  /** The tools that are offered in a session, to ann or to nobody. */
  tools(session: string, agent?: HostedAgent): Promise<readonly string[]>;
}

async function opened(t: TestContext, extensions: readonly Extension[] = [files, notes]): Promise<Opened> {
  hygiene(t);
  return await inHub(await testHub(t, { extensions }));
}

async function inHub(world: TestHub): Promise<Opened> {
  const { hub, peer } = world;
  const session = await world.newSession();
  await hub.openSession(session);
  const ann = await world.newAgent('ann');
  const run = async (rest: string, where = session) => {
    const place = { session: await peer.open(where), agent: ann };
    const answer = await extensionsCommand(hub.commandPorts, rest, place);
    return 'error' in answer ? `${answer.error.code}: ${answer.error.message}` : answer.text;
  };
  const tools = async (where: string, agent?: HostedAgent) => {
    using set = await hub.liveSet(agent === undefined ? { session: where } : { session: where, agent });
    return [...set.tools.keys()];
  };
  return { ...world, session, ann, run, tools };
}

test('a fresh session has every extension on (/extensions 1)', async (t) => {
  const { run } = await opened(t);
  assert.equal(
    await run(''),
    [
      'Extensions for ann in this session: ✓ on, ✗ off, ⚠ needs a look',
      '✓ on  files 1.0.0 — command, tool · global',
      '✓ on  notes 1.0.0 — tool · global, session',
    ].join('\n'),
  );
});

test('an extension whose global instance did not open is marked, with the reason (/extensions 2)', async (t) => {
  const { run } = await opened(t, [files, broken]);
  const lines = (await run('list')).split('\n');
  assert.match(lines[1] ?? '', /^✓ on {2}files /);
  assert.match(lines[2] ?? '', /^⚠ on {2}broken 1\.0\.0 — tool · global ⚠ instantiate_failed: .*no database/);
});

test('remove hides the tools of an extension (/extensions 3)', async (t) => {
  const { run, tools, session } = await opened(t);
  assert.deepEqual(await tools(session), ['read_file', 'remember']);
  await run('remove files');
  assert.deepEqual(await tools(session), ['remember']);
});

test('add brings them back (/extensions 4)', async (t) => {
  const { run, tools, session } = await opened(t);
  await run('remove files');
  await run('add files');
  assert.deepEqual(await tools(session), ['read_file', 'remember']);
});

test('what was removed is still removed after a restart (/extensions 5)', async (t) => {
  const first = await opened(t);
  await first.run('remove files');
  await first.hub.close();
  await first.close();
  const on = await testPeer(t, { seed: 2, folder: first.folder });
  const again = await inHub(await testHub(t, { extensions: [files, notes], on }));
  assert.equal((await again.hub.openSession(first.session)).recorded, 0);
  assert.deepEqual(await again.tools(first.session), ['remember']);
  assert.match(await again.run('', first.session), /✗ off {2}files .* \(session: off, agent: on\)/);
});

test('remove for an agent narrows that agent alone (/extensions 6)', async (t) => {
  const { run, tools, session, ann, newAgent } = await opened(t);
  const bob = await newAgent('bob');
  await run('remove files agent');
  assert.deepEqual(await tools(session, ann), ['remember']);
  assert.deepEqual(await tools(session, bob), ['read_file', 'remember']);
  assert.deepEqual(await tools(session), ['read_file', 'remember']);
  assert.match(await run(''), /✗ off {2}files .* \(session: on, agent: off\)/);
});

test('add for an agent takes the opt-out back (/extensions 7)', async (t) => {
  const { run, tools, session, ann } = await opened(t);
  await run('remove files agent');
  await run('add files agent');
  assert.deepEqual(await tools(session, ann), ['read_file', 'remember']);
});

test('an agent cannot widen what the session has (/extensions 8)', async (t) => {
  const { run, tools, session, ann } = await opened(t);
  await run('remove files');
  await run('remove files agent');
  await run('add files agent');
  assert.deepEqual(await tools(session, ann), ['remember']);
});

test('a command of an extension that is off says whose it is, and how to switch it on (/extensions 9)', async (t) => {
  const { run, hub, session, ann } = await opened(t);
  await run('remove files agent');
  {
    // An agent's opt-out hides no command from a person.
    using set = await hub.liveSet({ session, agent: ann });
    assert.equal((await runCommand(set, { line: '/files' })).certainty, 'completed');
  }
  await run('remove files');
  using set = await hub.liveSet({ session, agent: ann });
  const outcome = await runCommand(set, { line: '/files' });
  assert.ok('fault' in outcome);
  assert.equal(outcome.fault.code, 'unknown_command');
  assert.match(outcome.fault.message, /files/);
  assert.match(outcome.fault.message, /\/extensions add files/);
});

test('two sessions are switched apart from each other (/extensions 10)', async (t) => {
  const { run, tools, session, newSession, hub } = await opened(t);
  const other = await newSession();
  await hub.openSession(other);
  await run('remove files');
  assert.deepEqual(await tools(session), ['remember']);
  assert.deepEqual(await tools(other), ['read_file', 'remember']);
});

test('a setting is set, read by the next call, shown, and a number stays a number (/extensions 11)', async (t) => {
  const { run, hub, session, ann, peer } = await opened(t);
  assert.equal(await run('set files depth 7'), 'files: depth is 7 in this session.');
  assert.match(await run('settings files'), /"depth": 7/);
  await run('set files root 12');
  assert.match(await run('settings files'), /"root": "12"/);
  using set = await hub.liveSet({ session, agent: ann });
  const { text } = await callTool(set, { tool: 'read_file', args: {}, call: 'call_1' });
  assert.equal(text, 'depth 7');
  assert.deepEqual(await (await peer.open(session)).doc('extension_settings').get(), {
    files: { depth: 7, root: '12' },
  });
});

test('add and remove of what is not installed are refused (/extensions 12 and 13)', async (t) => {
  const { run } = await opened(t);
  const unknown =
    'extension_unknown: No extension of this name is installed here. (file; did you mean files?)';
  assert.equal(await run('add file'), unknown);
  assert.equal(await run('remove file'), unknown);
});

test('the list says what waits for a cap, and from whom', async (t) => {
  const phone = defineExtension({
    name: 'phone',
    version: '1.0.0',
    provides: { messages: { cap: messenger, impl: { send: () => null } } },
  });
  const alarm = defineExtension({
    name: 'alarm',
    version: '1.0.0',
    uses: { phone: messenger.from('phone') },
    tools: { ring: { about: 'Rings.', run: () => 'done' } },
  });
  const { run, tools, session } = await opened(t, [phone, alarm]);
  assert.equal(
    await run('remove phone'),
    'phone is off in this session.\nIt provides what these need: alarm.',
  );
  assert.deepEqual(await tools(session), []);
  assert.match(await run(''), /⚠ on {3}alarm 1\.0\.0 — tool · global ⚠ waiting for messenger from phone$/m);
});

test('what another peer switched here counts from the next live set on (cache stale after a synced event)', async (t) => {
  const { run, tools, session, peer, ann } = await opened(t);
  const other = await testPeer(t, { seed: 5, skewMs: 86_400_000 });
  const mine = await peer.open(session);
  await mine.access.grant(other.peer.peerId, 'append');
  await other.peer.apply(session, JSON.parse(JSON.stringify(await mine.since({}))));
  assert.deepEqual(await tools(session, ann), ['read_file', 'remember']);
  const copy = await other.peer.open(session);
  await copy
    .latest('extensions')
    .put('files', { kind: 'deactivated', name: 'files', timestamp_ms: other.clock.wallMs() });
  await peer.apply(session, JSON.parse(JSON.stringify(await copy.since(mine.version()))));
  assert.deepEqual(await tools(session, ann), ['remember']);
  assert.match(await run('history files'), /off {2}files {2}by peer /);
});
