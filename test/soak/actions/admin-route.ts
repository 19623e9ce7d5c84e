import type { JsonObject } from '@fairlead/base';
import type { Envelope } from '../outcome.ts';
import type { SoakWorld } from '../soak-world.ts';

/** What a route answered. */
type Answer = {
  readonly status: number;
  readonly output: JsonObject | null;
  readonly code: string | null;
};

/** Asks a route with a token, without keeping a connection. */
export async function ask(
  { host }: SoakWorld,
  route: {
    readonly method: string;
    readonly path: string;
    readonly token?: string;
    readonly body?: JsonObject;
  },
): Promise<Answer> {
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
  const { output, error } = (await response.json()) as Pick<Envelope, 'output' | 'error'>;
  return { status: response.status, output, code: error?.code ?? null };
}

/** Rejects when a route answered with another status than it has to. */
export function demand(what: string, answer: Answer, expected: number): void {
  const { status, code } = answer;
  if (status !== expected)
    throw new Error(`${what}: HTTP ${status} (${code ?? 'no code'}) instead of ${expected}`);
}
