import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDisturbance } from '../outcome.ts';
import type { Action } from './action.ts';
import { ask, demand } from './admin-route.ts';

/** What the one who runs a host looks at and does. */
export const administration: readonly Action[] = [
  {
    name: 'status',
    weight: 2,
    async run(world) {
      demand('status', await ask(world, { method: 'GET', path: '/api/admin/status' }), 200);
    },
  },
  {
    name: 'journal read',
    weight: 1,
    async run(world) {
      const path = '/api/admin/journal?limit=100';
      demand('reading the journal', await ask(world, { method: 'GET', path }), 200);
    },
  },
  {
    name: 'runner.toml put in force again',
    weight: 0.3,
    async run(world) {
      const params = { tool: 'reload_runner_config', arguments: { runner: 'near' } };
      const body = { tool: 'call_runtime_tool', params };
      const { code, output } = await ask(world, { method: 'POST', path: '/api/tools/call', body });
      world.tally.invoked();
      if (code !== null && isDisturbance(code)) return world.tally.disturbed(code);
      // Nothing has changed in it.
      if (output?.['pluginsRestarted'] !== false)
        throw new Error(`putting runner.toml in force: ${code ?? JSON.stringify(output)}`);
    },
  },
  {
    name: 'backup',
    weight: 0.1,
    async run(world, { random }) {
      const to = join(world.folder, `backup-${random.below(2 ** 31)}`);
      const made = await ask(world, { method: 'POST', path: '/api/admin/backup', body: { to } });
      demand('a backup', made, 200);
      await rm(to, { recursive: true });
    },
  },
];
