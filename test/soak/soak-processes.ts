import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, waitFor } from '@fairlead/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  fairlead,
  type Host,
  launcher,
  type ProviderBlock,
  type Running,
  start,
  writeRunnerConfig,
} from '../fairlead-process.ts';
import type { LinkProxy } from '../settling/link-proxy.ts';

/** A `fairlead mcp`, with a client that speaks to it. */
export type SoakMcp = { readonly client: Client; readonly pid: number };

const READY_LIMIT_MS = 60_000;

/** The plugins of this repository, as a Runner's configuration names them. */
export function firstPartyPlugins(workspace: string): readonly ProviderBlock[] {
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

/** How many extensions a new session has: all that there are. */
export async function extensionsOn({ ready, token }: Host): Promise<number> {
  const answer = await fetch(`${ready.url}/api/admin/extensions`, {
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
  });
  const { output } = (await answer.json()) as {
    readonly output: { readonly extensions: readonly unknown[] };
  };
  return output.extensions.length;
}

type Owner = { after(end: () => unknown): void };

/** A second Runner, which dials in through the relay. */
export async function startFarRunner(
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

/** Starts `fairlead mcp` and initializes it. */
export async function connectMcp(host: Host, env: Record<string, string>): Promise<SoakMcp> {
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
