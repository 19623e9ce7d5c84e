import { join } from 'node:path';
import type { GatewayClient } from './gateway-client.ts';
import { AgentApi } from './paths/agent-api.ts';
import type { CallPath } from './paths/call-path.ts';
import { CliPath } from './paths/cli-path.ts';
import { httpPath } from './paths/http-path.ts';
import { mcpHttpPath } from './paths/mcp-http-path.ts';
import { McpStdioPath } from './paths/mcp-stdio-path.ts';
import { routinePath } from './paths/routine-path.ts';
import { turnPath } from './paths/turn-path.ts';
import type { PathName } from './plan.ts';

const command = join(import.meta.dirname, '../../packages/cli/bin/fairlead.js');

/** The paths to one gateway, each opened at its first use and kept. */
export class FleetPaths implements AsyncDisposable {
  /** What agents are asked through, by their paths and by whoever looks at what they did. */
  readonly agents: AgentApi;
  readonly #gateway: GatewayClient;
  readonly #stateDirectory: string;
  readonly #target: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #opening = new Map<PathName, Promise<CallPath>>();
  readonly #opened = new Map<PathName, CallPath>();

  /** `target`: the flags by which the command names the plugin. */
  constructor(
    gateway: GatewayClient,
    stateDirectory: string,
    target: readonly string[],
    env: NodeJS.ProcessEnv,
  ) {
    this.#gateway = gateway;
    this.agents = new AgentApi(gateway);
    this.#stateDirectory = stateDirectory;
    this.#target = target;
    this.#env = env;
  }

  /** Processes of the paths that live between calls. */
  get pids(): readonly number[] {
    return [...this.#opened.values()].flatMap((path) => (path instanceof McpStdioPath ? [path.pid] : []));
  }

  path(name: PathName): Promise<CallPath> {
    const known = this.#opening.get(name);
    if (known !== undefined) return known;
    const path = this.#open(name).then((opened) => {
      this.#opened.set(name, opened);
      return opened;
    });
    this.#opening.set(name, path);
    return path;
  }

  /** Forgets what has ended by itself, so that the next use opens it again; says what that was. */
  renewLost(): readonly string[] {
    const lost: string[] = [];
    for (const [name, path] of this.#opened) {
      if (!(path instanceof McpStdioPath) || !path.isOver) continue;
      this.#opened.delete(name);
      this.#opening.delete(name);
      lost.push('fairlead mcp ended by itself');
    }
    return lost;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of this.#opened.values()) await path[Symbol.asyncDispose]();
    this.#opened.clear();
    this.#opening.clear();
  }

  async #open(name: PathName): Promise<CallPath> {
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', command] as const;
    const where = ['--state-dir', this.#stateDirectory];
    switch (name) {
      case 'http':
        return httpPath(this.#gateway);
      case 'mcp-http':
        return mcpHttpPath(this.#gateway);
      case 'mcp-stdio':
        return await McpStdioPath.start([...node, 'mcp', ...where], this.#env);
      case 'cli':
        return new CliPath([...node, 'plugin', 'call', ...where, ...this.#target], this.#env);
      case 'turn':
        return turnPath(this.agents);
      case 'routine':
        return routinePath(this.agents);
    }
  }
}
