import { isAbsolute, join } from 'node:path';
import { type ExecutableAnswer, type Platform, resolveExecutable } from '@fairlead/process';
import { childEnvironment, resolveHeaders } from '../configuration/resolve-variables.ts';
import type { HttpServer, ServerConfig, StdioServer } from '../configuration/server-config.ts';
import type { ServerFloor } from './server-floor.ts';

/** What a server needs of this machine before it can be asked anything. */
export interface ServerNeeds {
  /** Its program, and where that was found; null for a server behind an address. */
  readonly program: { readonly command: string; readonly path: string | null } | null;
  /** Variables that it is to be given and that are not set, or that hold secrets of the host. */
  readonly missing: readonly string[];
}

/** Looks for them as a start does, and starts nothing. */
export async function serverNeeds(
  server: ServerConfig,
  floor: Pick<ServerFloor, 'env' | 'platform' | 'secretVariables' | 'folder'>,
): Promise<ServerNeeds> {
  if (server.kind === 'http') return { program: null, missing: missingOf(server, floor.env) };
  const { values, missing } = childEnvironment(server, floor.env, floor);
  const { found } = await serverProgram(server, { ...floor, env: values, home: homeOf(floor) });
  return { program: { command: server.command, path: found.ok ? found.path : null }, missing };
}

/** Where a server's program runs, and which one it is. `env` is all that it is given. */
export async function serverProgram(
  server: StdioServer,
  from: {
    readonly env: Readonly<Record<string, string>>;
    readonly folder: string;
    readonly home: string | undefined;
    readonly platform: Platform;
  },
): Promise<{ readonly cwd: string; readonly found: ExecutableAnswer }> {
  const { env, folder, home = folder, platform } = from;
  const cwd = placeOf(server.cwd ?? home, folder, home);
  return { cwd, found: await resolveExecutable({ command: server.command, cwd, env, platform }) };
}

export function homeOf({ env, platform }: Pick<ServerFloor, 'env' | 'platform'>): string | undefined {
  return env[platform === 'win32' ? 'USERPROFILE' : 'HOME'];
}

function missingOf(server: HttpServer, env: ServerFloor['env']): readonly string[] {
  const { refreshTokenEnv, clientSecretEnv } = server.oauth ?? {};
  const ofTokens = [refreshTokenEnv, clientSecretEnv].filter((name) => name !== undefined);
  return [
    ...resolveHeaders(server, env).missing,
    ...ofTokens.filter((name) => env[name] === undefined || env[name] === ''),
  ];
}

function placeOf(path: string, folder: string, home: string): string {
  if (path.startsWith('~/')) return join(home, path.slice(2));
  return isAbsolute(path) ? path : join(folder, path);
}
