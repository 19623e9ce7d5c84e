import { join } from 'node:path';
import type { StdioServer } from '@fairlead/mcp';
import { echoMcpV2 } from '../floors/echo-mcp.ts';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench } from '../harness/bench.ts';
import { interleave } from '../harness/interleave.ts';
import { openMcpHub, stdioServer } from '../harness/mcp-hub.ts';
import { differenceRow, ratioRow } from '../harness/row.ts';

const CALLS_A_ROUND = 200;
const TEXT = 'x'.repeat(1024);

/** What an MCP server’s tool may cost through its extension, against the official client alone. */
const THROUGH = 1.3;
/** What twenty servers may add to the start of a host, in milliseconds: reading what was approved of each, and asking for their start. */
const ADDED_MS = 50;

export const mcpServers: Bench = {
  name: 'mcp-servers',
  title:
    'a tool of an MCP server over stdio through its extension, and a start with 20 servers of which 5 never answer',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const echo = await echoMcpV2(stack);
    const server = stdioServer('echo', process.execPath, [childPath('mcp-v2-echo-server.mjs')]);
    const hub = await openMcpHub(join(context.folder, 'call'), [server], stack);
    await hub.settled();
    const calls = await interleave(
      [
        { unit: 'µs', round: async () => ({ [SDK]: await timed(() => echo(TEXT)) }) },
        {
          unit: 'µs',
          round: async () => ({ [EXTENSION]: await timed(() => hub.call('echo__echo', { text: TEXT })) }),
        },
      ],
      context.plan(30, 3, 5),
    );
    const twenty = [
      ...Array.from({ length: 15 }, (_, at) => ({ ...server, name: `echo-${at}` })),
      ...Array.from({ length: 5 }, (_, at) => stdioServer(`silent-${at}`, 'sleep', ['1000'])),
    ];
    let starts = 0;
    const start = async (servers: readonly StdioServer[]): Promise<readonly number[]> => {
      await using own = new AsyncDisposableStack();
      starts += 1;
      const { installedMs } = await openMcpHub(join(context.folder, `start-${starts}`), servers, own);
      return [installedMs];
    };
    const started = await interleave(
      [
        { unit: 'ms', round: async () => ({ [NONE]: await start([]) }) },
        { unit: 'ms', round: async () => ({ [TWENTY]: await start(twenty) }) },
      ],
      context.plan(15, 3, 2),
    );
    return {
      measurements: [...Object.values(calls), ...Object.values(started)],
      rows: [
        ratioRow(
          'a call through the extension, against the official client',
          calls[EXTENSION],
          calls[SDK],
          THROUGH,
        ),
        differenceRow(
          'a start with 20 servers, 5 of them silent, against none',
          started[TWENTY],
          started[NONE],
          ADDED_MS,
        ),
      ],
    };
  },
};

const SDK = 'the official client';
const EXTENSION = 'through the extension';
const NONE = 'no server';
const TWENTY = '20 servers';

async function timed(call: () => Promise<unknown>): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let count = 0; count < CALLS_A_ROUND; count += 1) {
    const startedMs = performance.now();
    await call();
    samples.push((performance.now() - startedMs) * 1000);
  }
  return samples;
}
