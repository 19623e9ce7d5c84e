import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '@fairlead/base';
import { repositoryRoot, waitFor } from '@fairlead/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { benchEnvironment } from '../../bench/harness/environment.ts';
import { JsonPoster } from '../../bench/harness/json-poster.ts';
import {
  type Done,
  endHost,
  fairlead,
  type Host,
  launcher,
  type ProviderBlock,
  type Running,
  start,
  startHost,
  writeRunnerConfig,
} from '../fairlead-process.ts';
import { LinkProxy } from '../settling/link-proxy.ts';
import { type Envelope, settled } from './outcome.ts';
import { Tally } from './tally.ts';

/** A tool by where it is. */
export type ToolName = { readonly runner: string; readonly plugin: string; readonly tool: string };

export type SoakMcp = { readonly client: Client; readonly pid: number };

const READY_LIMIT_MS = 60_000;
/** Sessions that are remembered, the newest: those before are what a host forgets, too. */
const LEFT_MAX = 256;
/** Turns of a session that the script has: more than any is told. */
const TURNS = 64;
const CONFIGURATION = `
[[backends]]
name = "script"
type = "scripted"
file = "script.json"

[[agents]]
name = "soak"
`;
const INVOCATIONS: ReadonlySet<string> = new Set(['list', 'describe', 'call', 'check', 'reload', 'outcome']);

/** The plugins of this repository, as a Runner's configuration names them. */
function firstPartyPlugins(workspace: string): readonly ProviderBlock[] {
  const program = (path: string) => join(repositoryRoot, path);
  return [
    {
      id: 'repo-info',
      command: process.execPath,
      args: [program('plugins/repo-info/src/plugin.ts')],
      cwd: workspace,
    },
    {
      id: 'safe-delete',
      command: process.execPath,
      args: [program('plugins/safe-delete/src/plugin.ts')],
      cwd: workspace,
    },
    { id: 'sdk-echo', command: process.execPath, args: [program('examples/plugins/sdk-echo/src/plugin.ts')] },
    { id: 'raw-node', command: process.execPath, args: [program('examples/plugins/raw-node/plugin.mjs')] },
  ];
}

/**
 * What a soak runs against: a real `fairlead up` with the plugins of this repository and one that counts, a second Runner that dials
 * in through a relay, and a `fairlead mcp` that stays.
 */
export class SoakWorld implements AsyncDisposable {
  readonly tally = new Tally();
  /** Sessions that nobody closed. */
  readonly left: string[] = [];
  readonly folder: string;
  readonly host: Host;
  readonly relay: LinkProxy;
  readonly runner: Running;
  readonly mcp: SoakMcp;
  readonly counterFile: string;
  readonly #posters: readonly JsonPoster[];
  readonly #bindings = new Map<string, string>();
  readonly #owned: AsyncDisposableStack;
  #turn: Promise<void> = Promise.resolve();

  private constructor(parts: {
    readonly folder: string;
    readonly host: Host;
    readonly relay: LinkProxy;
    readonly runner: Running;
    readonly mcp: SoakMcp;
    readonly posters: readonly JsonPoster[];
    readonly owned: AsyncDisposableStack;
  }) {
    this.folder = parts.folder;
    this.host = parts.host;
    this.relay = parts.relay;
    this.runner = parts.runner;
    this.mcp = parts.mcp;
    this.counterFile = join(parts.folder, 'counted');
    this.#posters = parts.posters;
    this.#owned = parts.owned;
  }

  /** Starts everything in `folder`, which is empty. `counter` is the program that counts. */
  static async start(
    folder: string,
    options: { readonly counter: string; readonly lanes: number },
  ): Promise<SoakWorld> {
    await using owned = new AsyncDisposableStack();
    const owner = { after: (end: () => unknown) => owned.defer(async () => void (await end())) };
    const workspace = join(folder, 'workspace');
    const counterFile = join(folder, 'counted');
    const temporary = join(folder, 'temporary');
    mkdirSync(workspace);
    mkdirSync(temporary);
    execFileSync('git', ['init', '--quiet', workspace]);
    writeFileSync(counterFile, '');
    const counting: ProviderBlock = {
      id: 'counting',
      command: process.execPath,
      args: [options.counter, counterFile],
    };
    const runnerConfig = writeRunnerConfig(join(folder, 'near.toml'), 'near', [
      counting,
      ...firstPartyPlugins(workspace),
    ]);
    const probeFolder = join(folder, 'probe');
    mkdirSync(probeFolder);
    const probe = pathToFileURL(join(import.meta.dirname, 'heap-probe.mjs')).href;
    const env = {
      ...benchEnvironment(),
      TMPDIR: temporary,
      SOAK_PROBE: probeFolder,
      NODE_OPTIONS: `--expose-gc --import ${probe}`,
    };
    const stateDirectory = join(folder, 'state');
    mkdirSync(stateDirectory, { mode: 0o700 });
    writeFileSync(join(stateDirectory, 'fairlead.toml'), CONFIGURATION);
    const turns = Array.from({ length: TURNS }, () => ({ steps: [{ text: 'So be it.' }] }));
    const script = { format: 'fairlead-script-v1', scripts: { default: turns } };
    writeFileSync(join(stateDirectory, 'script.json'), JSON.stringify(script));
    const host = await startHost(owner, { stateDirectory, runnerConfig, env });
    const relay = owned.use(await LinkProxy.listen(Number(new URL(host.ready.url).port)));
    const runner = await startFarRunner(owner, { folder, host, relay, env, counting });
    const mcp = await connectMcp(host, env);
    owned.defer(() => mcp.client.close());
    const posters = Array.from({ length: options.lanes }, () => {
      const headers = { authorization: `Bearer ${host.token}` };
      return owned.use(new JsonPoster(host.ready.url, headers));
    });
    return new SoakWorld({ folder, host, relay, runner, mcp, posters, owned: owned.move() });
  }

  /** A folder with a repository. */
  get workspace(): string {
    return join(this.folder, 'workspace');
  }

  get stateDirectory(): string {
    return this.host.stateDirectory;
  }

  /** A session that somebody may come back to. */
  leave(session: string): void {
    this.left.push(session);
    if (this.left.length > LEFT_MAX) this.left.shift();
  }

  /** One `plugin_tool` over a kept connection of that lane. */
  async plugin(lane: number, params: JsonObject): Promise<Envelope> {
    if (INVOCATIONS.has(String(params['action']))) this.tally.invocations += 1;
    return (await this.#poster(lane).post('/api/tools/call', { tool: 'plugin_tool', params })) as Envelope;
  }

  /** The same over MCP. */
  async overMcp(client: Client, params: JsonObject): Promise<Envelope> {
    if (INVOCATIONS.has(String(params['action']))) this.tally.invocations += 1;
    const result = await client.callTool({ name: 'plugin_tool', arguments: params });
    return envelopeOf(result as unknown as McpResult);
  }

  /** The binding of a tool; described anew where it was lost. Null where that failed, which was counted. */
  async binding(lane: number, target: ToolName): Promise<string | null> {
    const key = `${target.runner}/${target.plugin}/${target.tool}`;
    const known = this.#bindings.get(key);
    if (known !== undefined) return known;
    const described = await this.plugin(lane, { action: 'describe', ...target });
    if (!settled(this.tally, `describe ${key}`, described)) return null;
    const binding = String(described.output?.['binding']);
    this.#bindings.set(key, binding);
    return binding;
  }

  /** Whoever was refused lets it go, so that the next one looks anew. */
  forget({ runner, plugin, tool }: ToolName): void {
    this.#bindings.delete(`${runner}/${plugin}/${tool}`);
  }

  /** What came of a call; a call of `count` is compared at the end with what the plugin did. */
  took(target: ToolName, envelope: Envelope): void {
    if (target.tool === 'count' && envelope.success) this.tally.counted.completed += 1;
    if (target.tool === 'count' && envelope.dispatch_certainty === 'outcome_unknown')
      this.tally.counted.unknown += 1;
    if (!settled(this.tally, `call ${target.plugin}.${target.tool}`, envelope)) this.forget(target);
  }

  /** Does what no two lanes may do at once; the others wait for their turn. */
  async inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    await turn;
  }

  /** Runs one `./fairlead …` against the host to its end. */
  async command(args: readonly string[]): Promise<Done> {
    await using owned = new AsyncDisposableStack();
    const owner = { after: (end: () => unknown) => owned.defer(async () => void (await end())) };
    return await fairlead(owner, [...args, '--state-dir', this.stateDirectory], { env: benchEnvironment() });
  }

  /** A client of its own over MCP, by stdio. */
  async openMcp(): Promise<SoakMcp> {
    return await connectMcp(this.host, benchEnvironment());
  }

  /** Where the probe of a process leaves what it found. */
  probeFile(pid: number): string {
    return join(this.folder, 'probe', `${pid}.json`);
  }

  /** How often `count` really ran. */
  executions(): number {
    return statSync(this.counterFile).size;
  }

  /** Ends everything as a person does; the exit status of the host. */
  async stop(): Promise<number | null> {
    this.runner.child.kill('SIGTERM');
    await this.runner.ended;
    return (await endHost(this.host)).exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }

  #poster(lane: number): JsonPoster {
    const poster = this.#posters[lane];
    if (poster === undefined) throw new RangeError(`there is no lane ${lane}`);
    return poster;
  }
}

/** What of a result of `plugin_tool` is looked at. */
type McpResult = {
  readonly isError?: boolean;
  readonly structuredContent?: JsonObject & {
    readonly error?: { readonly code: string };
    readonly dispatchState?: string;
  };
  readonly _meta?: { readonly dispatchState?: string };
};

function envelopeOf({ isError, structuredContent, _meta }: McpResult): Envelope {
  const certainty = _meta?.dispatchState ?? structuredContent?.dispatchState ?? 'not told';
  return {
    success: isError !== true,
    output: structuredContent ?? null,
    error: structuredContent?.error ?? null,
    dispatch_certainty: certainty,
  };
}

type Owner = { after(end: () => unknown): void };

async function startFarRunner(
  owner: Owner,
  parts: {
    readonly folder: string;
    readonly host: Host;
    readonly relay: LinkProxy;
    readonly env: NodeJS.ProcessEnv;
    readonly counting: ProviderBlock;
  },
): Promise<Running> {
  const { folder, host, relay, env, counting } = parts;
  const made = await fairlead(
    owner,
    ['token', 'create', '--runner', 'far', '--state-dir', host.stateDirectory],
    { env },
  );
  const tokenFile = join(folder, 'far.token');
  writeFileSync(tokenFile, made.stdout, { mode: 0o600 });
  const config = writeRunnerConfig(join(folder, 'far.toml'), 'far', [counting]);
  const where = ['--state-dir', join(folder, 'far'), '--config', config];
  const running = start(
    owner,
    launcher,
    ['runner', 'run', ...where, '--server-url', relay.url, '--token-file', tokenFile],
    { env },
  );
  await running.untilStderr('fairlead: plugins: counting ready\n');
  return running;
}

async function connectMcp(host: Host, env: Record<string, string>): Promise<SoakMcp> {
  const client = new Client(
    { name: 'fairlead-soak', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  const args = ['mcp', '--state-dir', host.stateDirectory];
  const transport = new StdioClientTransport({ command: launcher, args, env });
  await client.connect(transport);
  const pid = await waitFor(() => transport.pid, { what: 'fairlead mcp', timeoutMs: READY_LIMIT_MS });
  return { client, pid };
}
