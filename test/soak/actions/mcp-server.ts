import { readFileSync } from 'node:fs';
import { pidIsAlive, waitFor } from '@fairlead/testing';
import { mcpServerFile } from '../soak-configuration.ts';
import type { SoakWorld } from '../soak-world.ts';
import type { Action } from './action.ts';

/** After a minute of running its restarts begin with a second again. */
const BETWEEN_KILLS_MS = 65_000;
const RESTART_LIMIT_MS = 60_000;

/** The processes that it had so far. */
function starts(world: SoakWorld): readonly number[] {
  return readFileSync(`${mcpServerFile(world.folder)}.starts`, 'utf8')
    .trim()
    .split('\n')
    .map(Number);
}

export const mcpServer: readonly Action[] = [
  {
    name: 'MCP server killed, and started again',
    weight: 0.3,
    async run(world) {
      const sinceMs = performance.now();
      if (world.mcpKilledMs !== null && sinceMs - world.mcpKilledMs < BETWEEN_KILLS_MS) return;
      world.mcpKilledMs = sinceMs;
      const before = starts(world);
      const pid = before.at(-1) ?? 0;
      if (!pidIsAlive(pid)) throw new Error('the MCP server does not run');
      process.kill(pid, 'SIGKILL');
      await waitFor(() => starts(world).length > before.length, {
        what: 'the MCP server to be started again',
        ...{ timeoutMs: RESTART_LIMIT_MS, intervalMs: 100 },
      });
    },
  },
];
