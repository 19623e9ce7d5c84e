import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '@fairlead/base';
import type { Client } from '@modelcontextprotocol/client';
import { benchEnvironment } from '../../bench/harness/environment.ts';
import { JsonPoster } from '../../bench/harness/json-poster.ts';
import {
  type Done,
  type Ended,
  endHost,
  fairlead,
  type Host,
  type ProviderBlock,
  type Running,
  startHost,
  writeRunnerConfig,
} from '../fairlead-process.ts';
import { LinkProxy } from '../settling/link-proxy.ts';
import { type KeptRows, sessionRows } from './kept-rows.ts';
import { envelopeOf, type McpResult } from './mcp-envelope.ts';
import { type Envelope, settled } from './outcome.ts';
import type { AgentName } from './soak-agents.ts';
import { writeConfiguration } from './soak-configuration.ts';
import {
  connectMcp,
  extensionsOn,
  firstPartyPlugins,
  type SoakMcp,
  startFarRunner,
} from './soak-processes.ts';
import { Tally } from './tally.ts';

/** A tool by where it is. */
export type ToolName = { readonly runner: string; readonly plugin: string; readonly tool: string };

/** Sessions of an agent that are remembered, the newest: those before are what a host forgets, too. */
const LEFT_MAX = 256;
const INVOCATIONS: ReadonlySet<string> = new Set(['list', 'describe', 'call', 'check', 'reload', 'outcome']);

/**
 * What a soak runs against: a real `fairlead up` with the plugins of this repository and one that counts, a second Runner that dials
 * in through a relay, and a `fairlead mcp` that stays.
 */
export class SoakWorld implements AsyncDisposable {
  readonly tally = new Tally();
  /** What a new session leaves. */
  readonly sessionRows: KeptRows;
  /** Sessions in which nothing was said yet. */
  readonly silent = new Set<string>();
  /** Sessions in which somebody was asked, and since when nobody has answered. */
  readonly unanswered = new Map<string, number>();
  /** When the MCP server was killed last. */
  mcpKilledMs: number | null = null;
  readonly #left = new Map<AgentName, string[]>();
  readonly folder: string;
  readonly host: Host;
  readonly relay: LinkProxy;
  readonly runner: Running;
  readonly mcp: SoakMcp;
  readonly counterFile: string;
  readonly #posters: readonly JsonPoster[];
  readonly #clientEnv: Record<string, string>;
  readonly #bindings = new Map<string, string>();
  readonly #owned: AsyncDisposableStack;
  readonly #turns = new Map<string, Promise<void>>();

  private constructor(parts: {
    readonly folder: string;
    readonly host: Host;
    readonly relay: LinkProxy;
    readonly runner: Running;
    readonly mcp: SoakMcp;
    readonly posters: readonly JsonPoster[];
    readonly clientEnv: Record<string, string>;
    readonly extensions: number;
    readonly owned: AsyncDisposableStack;
  }) {
    this.folder = parts.folder;
    this.host = parts.host;
    this.relay = parts.relay;
    this.runner = parts.runner;
    this.mcp = parts.mcp;
    this.counterFile = join(parts.folder, 'counted');
    this.sessionRows = sessionRows(parts.extensions);
    this.#posters = parts.posters;
    this.#clientEnv = parts.clientEnv;
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
    const clientEnv = { ...benchEnvironment(), TMPDIR: temporary };
    const env = {
      ...clientEnv,
      SOAK_PROBE: probeFolder,
      NODE_OPTIONS: `--expose-gc --import ${probe}`,
    };
    const stateDirectory = join(folder, 'state');
    mkdirSync(stateDirectory, { mode: 0o700 });
    writeConfiguration(folder, stateDirectory);
    const host = await startHost(owner, { stateDirectory, runnerConfig, env });
    const relay = owned.use(await LinkProxy.listen(Number(new URL(host.ready.url).port)));
    const runner = await startFarRunner(owner, { folder, host, relay, env, counting });
    const mcp = await connectMcp(host, env);
    owned.defer(() => mcp.client.close());
    const posters = Array.from({ length: options.lanes }, () => {
      const headers = { authorization: `Bearer ${host.token}` };
      return owned.use(new JsonPoster(host.ready.url, headers));
    });
    const extensions = await extensionsOn(host);
    const parts = { folder, host, relay, runner, mcp, posters, clientEnv, extensions };
    return new SoakWorld({ ...parts, owned: owned.move() });
  }

  /** What stands in the environment of every process that this starts, and of those that they start. */
  get mark(): string {
    return `TMPDIR=${this.temporary}`;
  }

  /** The folder for temporary files of all of them. */
  get temporary(): string {
    return join(this.folder, 'temporary');
  }

  /** A folder with a repository. */
  get workspace(): string {
    return join(this.folder, 'workspace');
  }

  get stateDirectory(): string {
    return this.host.stateDirectory;
  }

  /** A session of `agent` that somebody may come back to. */
  leave(agent: AgentName, session: string): void {
    const left = this.left(agent);
    if (left.length === 0) this.#left.set(agent, left);
    left.push(session);
    if (left.length > LEFT_MAX) left.shift();
  }

  /** Sessions of `agent` that nobody closed. */
  left(agent: AgentName): string[] {
    return this.#left.get(agent) ?? [];
  }

  /** One `plugin_tool` over a kept connection of that lane. */
  async plugin(lane: number, params: JsonObject): Promise<Envelope> {
    if (INVOCATIONS.has(String(params['action']))) this.tally.invoked();
    return (await this.#poster(lane).post('/api/tools/call', { tool: 'plugin_tool', params })) as Envelope;
  }

  /** The same over MCP. */
  async overMcp(client: Client, params: JsonObject): Promise<Envelope> {
    if (INVOCATIONS.has(String(params['action']))) this.tally.invoked();
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

  /** Does what no two lanes may do to the same thing at once; the others wait for their turn. */
  async inTurn(what: 'extensions' | 'memory', work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(what) ?? Promise.resolve()).then(work);
    this.#turns.set(
      what,
      turn.catch(() => {}),
    );
    await turn;
  }

  /** Runs one `./fairlead …` against the host to its end. */
  async command(args: readonly string[]): Promise<Done> {
    await using owned = new AsyncDisposableStack();
    const owner = { after: (end: () => unknown) => owned.defer(async () => void (await end())) };
    return await fairlead(owner, [...args, '--state-dir', this.stateDirectory], { env: this.#clientEnv });
  }

  /** A client of its own over MCP, by stdio. */
  async openMcp(): Promise<SoakMcp> {
    return await connectMcp(this.host, this.#clientEnv);
  }

  /** Where the probe of a process leaves what it found. */
  probeFile(pid: number): string {
    return join(this.folder, 'probe', `${pid}.json`);
  }

  /** How often `count` really ran. */
  executions(): number {
    return statSync(this.counterFile).size;
  }

  /** Ends everything as a person does; says how. */
  async stop(): Promise<{ readonly 'far Runner': Ended; readonly host: Ended }> {
    this.runner.child.kill('SIGTERM');
    const runner = await this.runner.ended;
    return { 'far Runner': runner, host: await endHost(this.host) };
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
