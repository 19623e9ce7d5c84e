import { rm } from 'node:fs/promises';
import { join } from 'node:path';
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
