import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { settled } from '../outcome.ts';
import type { SoakWorld } from '../soak-world.ts';
import type { Action } from './action.ts';

const LIST = { action: 'list' };

async function overHttp(world: SoakWorld, mode: 'legacy' | 'auto'): Promise<void> {
  const client = new Client({ name: 'fairlead-soak', version: '1.0.0' }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${world.host.token}` };
  const url = new URL('/mcp', world.host.ready.url);
  try {
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const { tools } = await client.listTools();
    if (!tools.some(({ name }) => name === 'plugin_tool')) throw new Error('the list has no plugin_tool');
    settled(world.tally, 'list over MCP', await world.overMcp(client, LIST));
  } finally {
    await client.close();
  }
}

/** Clients that come, look, call and go. */
export const mcpSessions: readonly Action[] = [
  { name: 'MCP client over HTTP, 2025', weight: 2, run: (world) => overHttp(world, 'legacy') },
  { name: 'MCP client over HTTP, 2026', weight: 2, run: (world) => overHttp(world, 'auto') },
  {
    name: 'MCP client over stdio',
    weight: 0.3,
    async run(world) {
      const { client } = await world.openMcp();
      try {
        await client.listTools();
        settled(world.tally, 'list over MCP', await world.overMcp(client, LIST));
      } finally {
        await client.close();
      }
    },
  },
];
