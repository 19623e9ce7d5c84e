// Gates of extensions that fairlead.toml names, for a message that waited while no host ran.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { readEntry } from '@fairlead/host';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { loadHostConfig } from '../packages/cli/src/host/host-config.ts';
import { type HostFloor, openHostFloor } from '../packages/cli/src/host/host-floor.ts';

const ADA = { kind: 'person', id: 'tok_ada', name: 'Ada' } as const;

const GUARD = `import { defineExtension } from '@fairlead/extension';
export default defineExtension({
  name: 'guard',
  version: '1.0.0',
  gates: ['get_time'],
  on: { toolCall: () => ({ block: 'not on my watch' }) },
});`;

const SCRIPT = {
  format: 'fairlead-script-v1',
  scripts: { default: [{ steps: [{ calls: [{ tool: 'get_time', arguments: {} }] }, { text: 'Done.' }] }] },
};

/** A state directory whose file names the folder of a gate, and hosts on it, one after the other. */
function place(t: TestContext) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const guard = join(folder, 'guard');
  for (const made of [stateDirectory, guard]) mkdirSync(made, { mode: 0o700 });
  writeFileSync(join(guard, 'extension.ts'), GUARD);
  writeFileSync(join(stateDirectory, 'script.json'), JSON.stringify(SCRIPT));
  writeFileSync(
    join(stateDirectory, 'fairlead.toml'),
    `model = "local/tiny"

[[backends]]
name = "local"
type = "scripted"
file = "script.json"

[[backends.models]]
name = "tiny"

[[agents]]
name = "scout"

[[extensions.path]]
path = ${JSON.stringify(guard)}
`,
  );
  const context = {
    ...{ env: {}, cwd: folder, home: join(folder, 'home'), cloneRoot: folder, clock: systemClock() },
    platform: process.platform,
    random: systemRandom(),
    stdout: () => {},
    stderr: () => {},
    readStdin: async () => Buffer.alloc(0),
    streams: () => ({ input: new PassThrough(), output: new PassThrough() }),
  };
  const open = async (alone: boolean): Promise<HostFloor> => {
    const loaded = await loadHostConfig(context, stateDirectory, {});
    return await openHostFloor({ context, stateDirectory, loaded, log: () => {}, alone });
  };
  return {
    ...{ guard, open },
    /** A session in which a message waits that no host has answered yet. */
    async waiting(): Promise<string> {
      await using floor = await open(true);
      await floor.extensions.settled;
      const session = await floor.agents.newSession({ agents: ['scout'] });
      await floor.agents.post({ session, text: 'What time is it?', from: ADA });
      return session;
    },
    /** Starts a host, lets it answer what waits, and gives what became of each call. */
    async answered(session: string): Promise<readonly string[]> {
      await using floor = await open(false);
      await floor.agents.idle();
      return await results(floor, session);
    },
  };
}

async function results({ agents }: HostFloor, session: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { id, value } of (await agents.sessions.open(session)).table('entries').scan()) {
    const entry = readEntry(id, value);
    if (entry?.type === 'tool_result') found.push(`${entry.certainty} ${entry.code ?? 'fine'} ${entry.text}`);
  }
  return found;
}

test('a message that waited over a restart is judged by the gate of a folder in fairlead.toml', async (t) => {
  const here = place(t);
  const session = await here.waiting();
  const [result = '', ...others] = await here.answered(session);
  assert.match(result, /^not_started tool_blocked .*not on my watch/s);
  assert.deepEqual(others, []);
});

test('a gate whose folder does not load at a start denies what it judged before', async (t) => {
  const here = place(t);
  const session = await here.waiting();
  writeFileSync(join(here.guard, 'extension.ts'), 'this is no TypeScript at all {');
  const [result = '', ...others] = await here.answered(session);
  assert.match(result, /^not_started gate_unavailable .*blocked by guard: /s);
  assert.deepEqual(others, []);
});

test('a folder that does not load is reloaded and unloaded by the name that it had', async (t) => {
  const here = place(t);
  await here.waiting();
  writeFileSync(join(here.guard, 'extension.ts'), 'this is no TypeScript at all {');
  await using floor = await here.open(true);
  const { settled, administration, hub } = floor.extensions;
  await settled;
  const rows = () =>
    hub.extensions().flatMap(({ name, state, builtin }) => (builtin ? [] : [`${name} ${state}`]));
  assert.deepEqual(rows(), ['guard down']);
  assert.equal(administration.output('guard').certainty, 'completed');
  assert.equal((await administration.reload('guard')).certainty, 'not_started');
  writeFileSync(join(here.guard, 'extension.ts'), GUARD);
  assert.equal((await administration.reload(here.guard)).certainty, 'completed');
  assert.deepEqual(rows(), ['guard running']);
  assert.equal((await administration.unload('guard')).certainty, 'completed');
  assert.deepEqual(rows(), []);
});
