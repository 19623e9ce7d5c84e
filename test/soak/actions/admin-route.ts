import type { JsonObject } from '@fairlead/base';
import type { SoakWorld } from '../soak-world.ts';

/** Asks a route with a token, without keeping a connection. */
export async function ask(
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

/** Rejects when a route answered with another status than it has to. */
export function demand(what: string, is: number, expected: number): void {
  if (is !== expected) throw new Error(`${what}: HTTP ${is} instead of ${expected}`);
}
