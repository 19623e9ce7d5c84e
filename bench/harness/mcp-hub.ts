import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { randomId, systemClock, systemRandom } from '@fairlead/base';
import { callTool, openHub } from '@fairlead/hub';
import { McpServers, SecretBox, SecretRows, type ServerConfig, type StdioServer } from '@fairlead/mcp';
import { startWatchdog } from '@fairlead/process';
import { openPeer, openStore } from '@fairlead/store';

/** A server of this machine with the defaults of the file. */
export function stdioServer(name: string, command: string, args: readonly string[]): StdioServer {
  return {
    ...{ kind: 'stdio', name, command, args, env: {}, envPass: [], newTools: 'ask' },
    ...{ startupTimeoutMs: 30_000, timeoutMs: 60_000, maxOutputBytes: 102_400 },
  };
}

export interface McpHub {
  /** Calls a tool of the live set of one session, as a turn does; throws for what is no result. */
  call(tool: string, args: Readonly<Record<string, string>>): Promise<unknown>;
  /** From the first thing that is opened until the extensions are installed. */
  readonly installedMs: number;
  /** When each server runs or has failed. */
  settled(): Promise<void>;
}

/** Store, peer and hub in a folder of their own, with these servers. */
export async function openMcpHub(
  folder: string,
  servers: readonly ServerConfig[],
  stack: AsyncDisposableStack,
): Promise<McpHub> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const startedMs = performance.now();
  const clock = systemClock();
  const random = systemRandom();
  const store = stack.use(await openStore({ path: join(folder, 'fairlead.db'), clock }));
  const peer = stack.use(await openPeer({ store, stateDirectory: folder, clock, random }));
  const watchdog = stack.use(startWatchdog({ random }));
  const mcp = new McpServers(servers, {
    ...{ store, clock, random, watchdog, folder, secretVariables: [], version: '0.1.0', log: () => {} },
    platform: process.platform === 'darwin' ? 'darwin' : 'linux',
    env: { PATH: process.env['PATH'], HOME: folder },
    secrets: new SecretRows(store, new SecretBox(random(32), random)),
  });
  const hub = stack.use(
    await openHub({
      ...{ peer, store, clock, sources: [], report: () => {} },
      agents: { resolve: async () => null, open: (id) => peer.open(id) },
    }),
  );
  await mcp.install(hub);
  const installedMs = performance.now() - startedMs;
  let session: string | undefined;
  return {
    installedMs,
    settled: () => mcp.settled(),
    async call(tool, args) {
      if (session === undefined) {
        session = (await peer.create('session')).root;
        await hub.openSession(session);
      }
      using set = await hub.liveSet({ session });
      const end = await callTool(set, { tool, args, call: randomId('call_', random) });
      if (end.isError) throw new Error(end.text);
      return end;
    },
  };
}
