import type { JsonObject } from '@fairlead/base';
import type { SoakWorld } from '../soak-world.ts';
import type { Action } from './action.ts';

/** Asks a route with a token, without keeping a connection. */
async function ask(
  { host }: SoakWorld,
  route: {
    readonly method: string;
    readonly path: string;
    readonly token?: string;
    readonly body?: JsonObject;
  },
): Promise<{ readonly status: number; readonly output: JsonObject | null }> {
  const { method, path, token = host.token, body } = route;
  const response = await fetch(`${host.ready.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      connection: 'close',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const envelope = (await response.json()) as { readonly output: JsonObject | null };
  return { status: response.status, output: envelope.output };
}

function demand(what: string, is: number, expected: number): void {
  if (is !== expected) throw new Error(`${what}: HTTP ${is} instead of ${expected}`);
}

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
  {
    name: 'status',
    weight: 2,
    async run(world) {
      demand('status', (await ask(world, { method: 'GET', path: '/api/admin/status' })).status, 200);
    },
  },
];
