import type { Action } from './action.ts';
import { ask, demand } from './admin-route.ts';

export const tokens: readonly Action[] = [
  {
    name: 'token made, used and revoked',
    weight: 3,
    async run(world) {
      const body = { name: 'soak', scopes: ['plugin:inspect'], expiresInMs: 600_000 };
      const made = await ask(world, { method: 'POST', path: '/api/admin/tokens', body });
      demand('making a token', made.status, 200);
      world.tally.tokens += 1;
      const { secret, token } = made.output as {
        readonly secret: string;
        readonly token: { readonly id: string };
      };
      const use = () => {
        world.tally.invocations += 1;
        const list = { tool: 'plugin_tool', params: { action: 'list' } };
        return ask(world, { method: 'POST', path: '/api/tools/call', token: secret, body: list });
      };
      demand('using it', (await use()).status, 200);
      const revoked = await ask(world, { method: 'DELETE', path: `/api/admin/tokens/${token.id}` });
      demand('revoking it', revoked.status, 200);
      demand('using it afterwards', (await use()).status, 401);
      // Who is turned away at the door is in no journal.
      world.tally.invocations -= 1;
    },
  },
];
