import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { type JsonObject, systemClock, systemRandom } from '@fairlead/base';
import { type Entry, readEntry } from '@fairlead/host';
import { hygiene, repositoryRoot, temporaryFolder, waitFor } from '@fairlead/testing';
import { bindRunner, startEmbeddedRunner } from '../../packages/cli/src/host/embedded-runner.ts';
import { startHost } from '../../packages/cli/src/host/host.ts';
import { loadHostConfig } from '../../packages/cli/src/host/host-config.ts';

type Step = { readonly text?: string; readonly calls?: readonly JsonObject[]; readonly expect?: JsonObject };

const CONFIGURATION = `
model = "local/tiny"

[gateway]
port = 0

[[backends]]
name = "local"
type = "scripted"
file = "script.json"

[[backends.models]]
name = "tiny"

[[agents]]
name = "scout"
`;

export const PINS = `
[[plugins.pinned]]
runner = "local"
plugin = "tally"
tool = "note"
agents = ["scout"]

[[plugins.pinned]]
runner = "local"
plugin = "tally"
tool = "look"
as = "tally_look"
`;

/** A plugin whose tools stand in a file beside it, and which writes down what it was asked for. */
const TALLY = `
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const said = (name) => JSON.parse(readFileSync('tools.json', 'utf8'))[name];
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    'initialize': () => ({ protocolVersion: 'webcodex-plugin-v1' }),
    'tools/list': () => ({ tools: ['note', 'look'].flatMap((name) => said(name) === undefined ? [] : [{
      name,
      description: said(name),
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { readOnlyHint: name === 'look' },
    }]) }),
    'tools/call': () => {
      appendFileSync('asked.txt', params.name + ' ' + params.arguments.text + '\\n');
      if (params.arguments.text === 'die') process.exit(1);
      if (params.arguments.text === 'no') return { content: [{ type: 'text', text: 'not today' }], isError: true };
      return { content: [{ type: 'text', text: 'noted ' + params.arguments.text }], structuredContent: { n: 1 }, isError: false };
    },
  };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]() }) + '\\n');
});
`;

/** What the plugin was asked for, a line each. */
function askedIn(folder: string): readonly string[] {
  const path = join(folder, 'asked.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

/** A host with a Runner and one plugin, whose agent follows a script. */
export async function agentWithPlugin(
  t: TestContext,
  options: {
    readonly turns: readonly (readonly Step[])[];
    /** Follows the agent's table. */
    readonly configuration?: string;
    /** For configuration that names a place in the test's folder. */
    readonly more?: (folder: string) => string;
    readonly withRunner?: boolean;
  },
) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const plugin = join(folder, 'tally');
  const workspace = join(folder, 'work');
  for (const made of [stateDirectory, plugin, workspace]) mkdirSync(made, { recursive: true, mode: 0o700 });
  writeFileSync(join(plugin, 'plugin.mjs'), TALLY);
  const describe = (tools: JsonObject) => writeFileSync(join(plugin, 'tools.json'), JSON.stringify(tools));
  describe({ note: 'Writes a note down.', look: 'Looks at a note.' });
  const script = {
    format: 'fairlead-script-v1',
    scripts: { default: options.turns.map((steps) => ({ steps })) },
  };
  writeFileSync(join(stateDirectory, 'script.json'), JSON.stringify(script));
  writeFileSync(
    join(stateDirectory, 'fairlead.toml'),
    [CONFIGURATION, options.configuration ?? '', options.more?.(folder) ?? ''].join(''),
  );
  writeFileSync(
    join(stateDirectory, 'runner.toml'),
    `client_id = "local"\n[[plugins.providers]]\nid = "tally"\nname = "Tally"\ncommand = ${JSON.stringify(process.execPath)}\nargs = ["plugin.mjs"]\ncwd = ${JSON.stringify(plugin)}\n`,
  );
  const context = {
    ...{ cwd: folder, home: join(folder, 'home'), cloneRoot: repositoryRoot, clock: systemClock() },
    env: { PATH: process.env['PATH'] ?? '' },
    platform: process.platform,
    random: systemRandom(),
    stdout: () => {},
    stderr: () => {},
    readStdin: async () => Buffer.alloc(0),
    streams: () => ({ input: new PassThrough(), output: new PassThrough() }),
  };
  const loaded = await loadHostConfig(context, stateDirectory, {});
  const log = () => {};
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const running = stack.use(await startHost({ context, stateDirectory, loaded, log, onStop: () => {} }));
  await running.extensions.serversSettled();
  if (options.withRunner !== false) {
    const binding = await bindRunner(context, stateDirectory, undefined);
    const runner = stack.use(
      await startEmbeddedRunner({
        ...{ context, stateDirectory, binding, host: running, log },
        extraSensitive: [],
      }),
    );
    await runner.settled;
    await runner.registered;
    // A plugin that was still starting when its Runner registered is looked at again.
    await waitFor(() => running.agents.plugins.notices().length === 0, {
      what: 'every pin to be seen',
      timeoutMs: 20_000,
    });
  }
  const { agents } = running;
  const token = readFileSync(running.tokenFile, 'utf8').trim();
  async function ask(
    params: JsonObject,
  ): Promise<{ readonly success: boolean; readonly output: JsonObject }> {
    const answer = await fetch(`${running.url}/api/tools/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ tool: 'plugin_tool', params }),
    });
    return (await answer.json()) as Awaited<ReturnType<typeof ask>>;
  }
  /** The doors that `fairlead ext diff` and `ext approve` go through. */
  async function door(path: string, body?: JsonObject): Promise<{ readonly output: JsonObject }> {
    const answer = await fetch(`${running.url}/api/admin/extensions/plugins/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as Awaited<ReturnType<typeof door>>;
  }
  const session = await agents.newSession({ agents: ['scout'], workspace });
  async function entries(): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    for await (const { id, value } of (await agents.sessions.open(session)).table('entries').scan()) {
      const entry = readEntry(id, value);
      if (entry !== undefined && entry.type !== 'unknown') found.push(entry);
    }
    return found;
  }
  /** Until the next turn is shown what is pinned now: lists are read again ten times a second at most. */
  async function shown(): Promise<void> {
    const [agent] = await agents.agents.list();
    assert.ok(agent);
    const now = agents.plugins.pinned('scout').map(({ target }) => target);
    await waitFor(
      async () => {
        using set = await agents.floor.hub.liveSet({ session, agent });
        const shown = [...set.tools.values()].flatMap(
          ({ contribution }) => contribution.foreign?.target ?? [],
        );
        return now.length === shown.length && now.every((target) => shown.includes(target));
      },
      { what: 'the pins to be shown as they are', timeoutMs: 20_000 },
    );
  }
  return {
    ...{ shown, door, folder, agents, session, entries, describe, asked: () => askedIn(plugin) },
    ask: (approve: readonly string[] | 'all' = 'all') =>
      agents.runOnce({
        session,
        text: 'Go on.',
        from: { kind: 'person', id: 'tok_ada', name: 'Ada' },
        approve,
      }),
    reload: async () => {
      const { success } = await ask({ action: 'reload', runner: 'local' });
      assert.equal(success, true);
      await agents.plugins.settled();
      await shown();
    },
    async results() {
      const found = await entries();
      return found.flatMap((entry) =>
        entry.type === 'tool_result' ? [[entry.certainty, entry.code, entry.text] as const] : [],
      );
    },
    async calls() {
      const found = await entries();
      return found.flatMap((entry) => (entry.type === 'tool_call' ? [entry] : []));
    },
  };
}

export const call = (tool: string, args: JsonObject): Step => ({ calls: [{ tool, arguments: args }] });
