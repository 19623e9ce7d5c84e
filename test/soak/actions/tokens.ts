import { TOKEN } from '../kept-rows.ts';
import type { Action } from './action.ts';
import { ask, demand } from './admin-route.ts';

export const tokens: readonly Action[] = [
  {
    name: 'token made, used and revoked',
    weight: 3,
    async run(world) {
      const body = { name: 'soak', scopes: ['plugin:inspect'], expiresInMs: 600_000 };
      const made = await ask(world, { method: 'POST', path: '/api/admin/tokens', body });
      demand('making a token', made, 200);
      world.tally.keeps(TOKEN);
      const { secret, token } = made.output as {
        readonly secret: string;
        readonly token: { readonly id: string };
      };
      const list = { tool: 'plugin_tool', params: { action: 'list' } };
      const use = () => ask(world, { method: 'POST', path: '/api/tools/call', token: secret, body: list });
      world.tally.invoked();
      demand('using it', await use(), 200);
      const revoked = await ask(world, { method: 'DELETE', path: `/api/admin/tokens/${token.id}` });
      demand('revoking it', revoked, 200);
      // Who is turned away at the door is in no journal.
      demand('using it afterwards', await use(), 401);
    },
  },
];
