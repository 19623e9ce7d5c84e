import { completed, delay, failed, type Json, type Outcome } from '@fairlead/base';
import type { HostSide } from '@fairlead/extension/runtime';
import { catalogDiff, type ExtensionSource, type Hub, type ToolDiff } from '@fairlead/hub';
import { resolveHeaders } from '../configuration/resolve-variables.ts';
import { extensionOf, type ServerConfig } from '../configuration/server-config.ts';
import { mcpErrors } from '../errors.ts';
import { lifeLimits, tokenLimits } from '../limits.ts';
import { McpServer } from '../server/mcp-server.ts';
import type { ServerFloor } from '../server/server-floor.ts';
import { McpCarrier } from './mcp-carrier.ts';

/** Every configured server of one host. Its programs end with the hub that they are installed in. */
export class McpServers {
  readonly #floor: ServerFloor;
  readonly #servers: ReadonlyMap<string, McpServer>;
  readonly #carriers = new Map<string, McpCarrier>();

  constructor(configs: readonly ServerConfig[], floor: ServerFloor) {
    this.#floor = floor;
    this.#servers = new Map(configs.map((config) => [extensionOf(config), new McpServer(config, floor)]));
  }

  /** Installs an extension for each, and waits for none of them. Rejects with a code of the hub. */
  async install(hub: Pick<Hub, 'install'>): Promise<void> {
    const sources = [...this.#servers].map(([name, server]) => this.#sourceOf(name, server));
    const { refused } = await hub.install(sources);
    for (const { name, code, reason } of refused) {
      const source = sources.find(({ ref }) => ref.name === name);
      if (source === undefined) continue;
      this.#servers.get(name)?.skip();
      this.#floor.log('warn', 'mcp.refused', { server: name, code, reason });
    }
  }

  /** Each runs, has failed once, or is late, and the hub knows what it offers. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.settled));
    const over = new AbortController();
    const read = Promise.all([...this.#carriers.values()].map((carrier) => carrier.read));
    await Promise.race([read, delay(this.#floor.clock, lifeLimits.readMs, over.signal)]);
    over.abort();
    // What was read is in force one turn of the loop later.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** How many cannot be had: they could not be started or reached, or end again and again. */
  get failed(): number {
    return [...this.#servers.values()].filter(({ state }) => state.kind === 'failed').length;
  }

  /** Whether a name is the extension of one of them. */
  has(name: string): boolean {
    return this.#servers.has(name);
  }

  /** What a server's program printed last. */
  output(name: string): Outcome<Json> {
    const server = this.#servers.get(name);
    if (server === undefined) return unknown(name);
    return completed({ name, output: server.output });
  }

  /** What waits for an approval, and what is gone: `{name, tools: [{tool, state, observation, marks, warnings, lines}]}`. */
  diff(name: string, tool?: string): Outcome<Json> {
    const server = this.#servers.get(name);
    if (server === undefined) return unknown(name);
    const rows = server.shownRows().filter((row) => tool === undefined || row.tool === tool);
    const tools: readonly ToolDiff[] = catalogDiff(rows);
    return completed({ name, tools: tools as unknown as Json });
  }

  /** Approves what was seen, by tool: `{name, approved}`. `mcp_nothing_pending` where none of it waits any more. */
  async approve(name: string, seen: ReadonlyMap<string, string | null>, by: string): Promise<Outcome<Json>> {
    const server = this.#servers.get(name);
    if (server === undefined) return unknown(name);
    const approved = await server.approve(seen, by);
    if (approved.length === 0)
      return failed('not_started', 'mcp_nothing_pending', mcpErrors.mcp_nothing_pending.message, { name });
    this.#floor.log('info', 'mcp.approved', { server: name, tools: approved.join(', '), by });
    return completed({ name, approved: [...approved] });
  }

  #sourceOf(name: string, server: McpServer): ExtensionSource {
    const { version } = this.#floor;
    return {
      ref: Object.freeze({ kind: 'builtin', name, version }),
      tier: 'mcp',
      builtin: false,
      start: async (host: HostSide) => {
        const carrier = new McpCarrier(server, host, version);
        this.#carriers.set(name, carrier);
        await server.start(() => carrier.changed());
        return carrier;
      },
    };
  }
}

/** Values of headers and variables that servers are given: nothing that is shown or stored may hold one. */
export function secretsOf(
  configs: readonly ServerConfig[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return configs.flatMap((config) => {
    if (config.kind === 'stdio') return [];
    const { oauth } = config;
    const variables = [oauth?.clientSecretEnv, oauth?.refreshTokenEnv].filter((name) => name !== undefined);
    const values = variables.map((name) => env[name]).filter((value) => value !== undefined);
    const { secrets } = resolveHeaders(config, env);
    return [...secrets, ...secrets.flatMap(credentialOf), ...values];
  });
}

/** `Bearer TOKEN` holds a secret that is one without its first word too. */
function credentialOf(header: string): readonly string[] {
  const [, credential = ''] = /^[A-Za-z]+ +(\S+)$/.exec(header) ?? [];
  return credential.length < tokenLimits.maskedLength ? [] : [credential];
}

function unknown(name: string): Outcome<never> {
  return failed('not_started', 'extension_unknown', 'No MCP server of this name is configured here.', {
    name,
  });
}
