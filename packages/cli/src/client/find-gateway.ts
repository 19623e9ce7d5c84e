import type { CommandContext } from '../command-context.ts';
import { readServerFile } from '../state/server-file.ts';
import { resolveStateDirectory } from '../state/state-directory.ts';
import { parseServerUrl } from './api-client.ts';
import { findProxy } from './find-proxy.ts';
import { findToken } from './token-source.ts';

/** The flags that say which gateway a command speaks to, and with which token. */
export type GatewayFlags = {
  readonly stateDir?: string;
  readonly serverUrl?: string;
  readonly tokenFile?: string;
  readonly token?: string;
  readonly envFile?: string;
  readonly proxy?: string;
  /** False for `--no-system-proxy`. */
  readonly systemProxy?: boolean;
};

/** Where to send requests, and the token to show there. */
export type GatewayAddress = {
  readonly serverUrl: string;
  readonly token: string;
  /** The proxy on the way there, for single requests. */
  readonly proxy?: URL | null;
};

const defaultServerUrl = 'http://127.0.0.1:7420';

/** The gateway of the flags, else that of the state directory, else the default address. Throws the codes of `findToken`, `proxy_invalid`. */
export async function findGateway(context: CommandContext, flags: GatewayFlags): Promise<GatewayAddress> {
  const { env, cwd } = context;
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const own = await readServerFile(stateDirectory);
  const serverUrl = flags.serverUrl ?? own?.url ?? defaultServerUrl;
  const token = await findToken({
    token: flags.token,
    tokenFile: flags.tokenFile,
    envFile: flags.envFile,
    env,
    cwd,
    stateDirectory,
    operatorToken: own === null ? 'no_host' : isSameAddress(serverUrl, own.url) ? 'allowed' : 'other_address',
  });
  const { proxy, systemProxy } = flags;
  return { serverUrl, token, proxy: findProxy(parseServerUrl(serverUrl, '/'), { proxy, systemProxy, env }) };
}

function isSameAddress(left: string, right: string): boolean {
  const origin = URL.parse(left)?.origin;
  return origin !== undefined && origin === URL.parse(right)?.origin;
}
