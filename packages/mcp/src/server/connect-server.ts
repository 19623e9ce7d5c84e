import { unmasked } from '../catalog/mask.ts';
import { childEnvironment, resolveHeaders } from '../configuration/resolve-variables.ts';
import type { ServerConfig } from '../configuration/server-config.ts';
import { TokenSource } from '../oauth/token-source.ts';
import { connectStdio } from './connect-stdio.ts';
import type { ConnectAnswer, ConnectionEvents } from './connection.ts';
import type { ServerFloor } from './server-floor.ts';
import { homeOf } from './server-needs.ts';

/** Connects to a server in the way that its configuration says. Never rejects. */
export async function connectServer(
  server: ServerConfig,
  floor: ServerFloor,
  attempt: { readonly signal: AbortSignal; readonly events: ConnectionEvents },
): Promise<ConnectAnswer> {
  const {
    env,
    platform,
    secretVariables,
    folder,
    version,
    clock,
    random,
    watchdog,
    log,
    mask = unmasked,
  } = floor;
  const clientInfo = { name: 'fairlead', version };
  const tellMissing = (names: readonly string[]) => {
    for (const variable of names) log('warn', 'mcp.variable_missing', { server: server.name, variable });
  };
  if (server.kind === 'stdio') {
    const { values, missing } = childEnvironment(server, env, { platform, secretVariables });
    tellMissing(missing);
    const home = homeOf(floor);
    return await connectStdio({
      ...{ server, folder, home, clientInfo, watchdog, platform, random, mask },
      env: values,
      ...attempt,
    });
  }
  const { values, missing } = resolveHeaders(server, env);
  tellMissing(missing);
  const { oauth } = server;
  const tokens =
    oauth === undefined
      ? undefined
      : new TokenSource({
          name: `mcp:${server.name}`,
          config: oauth,
          ...{ env, clock, random },
          rows: floor.secrets,
          fetch: (url, init) => fetch(url, { ...init, redirect: 'error' }),
        });
  // Node's HTTP client comes with the first server that is behind an address.
  const { connectHttp } = await import('./connect-http.ts');
  return await connectHttp({ server, headers: values, tokens, clientInfo, mask, ...attempt });
}
