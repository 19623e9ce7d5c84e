import { configLimits } from '../limits.ts';
import { ConfigReader, ConfigRefusal, type ConfigurationPath } from './config-reader.ts';
import type { HttpServer, OAuthConfig, ServerConfig, StdioServer } from './server-config.ts';

/** What `[mcp]` of `fairlead.toml` says, but for the policy keys, which the host reads. */
export interface McpTables {
  readonly servers: readonly ServerConfig[];
  /** Files in the form of other clients, as written. */
  readonly imports: readonly string[];
  /** What headers of their servers may carry: origin of an address → variables of the host. */
  readonly maySend: MaySend;
}

/** Origins, such as `https://tracker.example`, each with the variables whose values it may be sent. */
export type MaySend = ReadonlyMap<string, readonly string[]>;

export type McpTablesReading =
  | {
      readonly ok: true;
      readonly tables: McpTables;
      /** Kept and without effect. */
      readonly notices: readonly { readonly at: ConfigurationPath; readonly message: string }[];
    }
  | { readonly ok: false; readonly at: ConfigurationPath; readonly problem: string };

/** The tables of `fairlead.toml` that are read here. */
export const mcpKeys: readonly string[] = ['mcp'];

const POLICY_KEYS = ['risk', 'approval', 'effect', 'rate_per_minute', 'sensitive', 'grants', 'tools'];
const COMMON_KEYS = ['name', 'startup_timeout_secs', 'timeout_secs', 'max_output_bytes', 'new_tools'];
const STDIO_KEYS = ['command', 'args', 'cwd', 'env', 'env_pass'];
const HTTP_KEYS = ['url', 'headers_env', 'oauth'];
const SERVER_KEYS = [...COMMON_KEYS, ...STDIO_KEYS, ...HTTP_KEYS, ...POLICY_KEYS];
const OAUTH_KEYS = ['token_url', 'client_id', 'client_secret_env', 'refresh_token_env', 'scope', 'resource'];

export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;
export const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
export const ANY_TEXT = /^[^\0]*$/u;

/** Reads them. One value that cannot be used refuses the file, with its place and without the value. */
export function readMcpTables(document: Readonly<Record<string, unknown>>): McpTablesReading {
  try {
    const mcp = new ConfigReader(document['mcp'] ?? {}, ['mcp']);
    const imports = mcp.texts('import', configLimits.imports) ?? [];
    const maySend = maySendOf(mcp);
    const listed = mcp.value('servers') ?? [];
    if (!Array.isArray(listed) || listed.length > configLimits.servers)
      return mcp.refuse('servers', 'must be written as [[mcp.servers]], once for each, 64 at most');
    const readers = listed.map((entry: unknown, index) => new ConfigReader(entry, ['mcp', 'servers', index]));
    const servers = readers.map(serverOf);
    const names = new Set<string>();
    for (const [index, { name }] of servers.entries()) {
      if (names.has(name)) throw new ConfigRefusal(['mcp', 'servers', index, 'name'], 'stands twice');
      names.add(name);
    }
    const notices = [
      ...mcp.unknown(['import', 'import_may_send', 'servers']),
      ...readers.flatMap((reader) => reader.unknown(SERVER_KEYS)),
    ];
    return { ok: true, tables: { servers, imports, maySend }, notices };
  } catch (thrown) {
    if (thrown instanceof ConfigRefusal) return { ok: false, at: thrown.at, problem: thrown.message };
    throw thrown;
  }
}

function maySendOf(mcp: ConfigReader): MaySend {
  if (!mcp.has('import_may_send')) return new Map();
  const table = mcp.table('import_may_send');
  const origins = table.entries().map(([origin]) => origin);
  if (origins.length > configLimits.servers)
    mcp.refuse('import_may_send', `must not have more than ${configLimits.servers} entries`);
  return new Map(
    origins.map((origin) => {
      const url = URL.parse(origin);
      if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== origin)
        table.refuse(
          origin,
          'must be the beginning of an address and no more, as https://tracker.example is',
        );
      return [origin, table.texts(origin, configLimits.variables, VARIABLE) ?? []];
    }),
  );
}

function serverOf(reader: ConfigReader): ServerConfig {
  const name = reader.text('name', 'must be 1 to 32 of a-z, 0-9 and -', /^[a-z0-9-]{1,32}$/);
  if (name === undefined) return reader.refuse('name', 'must be given');
  const common = {
    name,
    startupTimeoutMs: reader.whole('startup_timeout_secs', configLimits.startupTimeoutSecs) * 1000,
    timeoutMs: reader.whole('timeout_secs', configLimits.timeoutSecs) * 1000,
    maxOutputBytes: reader.whole('max_output_bytes', configLimits.maxOutputBytes),
    newTools: reader.word('new_tools', ['ask', 'allow'], 'ask'),
  };
  if (reader.has('command') === reader.has('url'))
    return reader.refuse('command', 'or url must be given, and not both');
  const foreign = reader.has('command') ? HTTP_KEYS : STDIO_KEYS;
  for (const key of foreign)
    if (reader.has(key))
      reader.refuse(key, `does not belong to a server with ${reader.has('command') ? 'a command' : 'a url'}`);
  return reader.has('command') ? stdioOf(reader, common) : httpOf(reader, common);
}

type Common = Omit<StdioServer, 'kind' | 'command' | 'args' | 'env' | 'envPass' | 'cwd'>;

function stdioOf(reader: ConfigReader, common: Common): StdioServer {
  const cwd = reader.text('cwd', 'must name a folder');
  return {
    kind: 'stdio',
    ...common,
    command: reader.text('command', 'must name a program') ?? '',
    args: reader.texts('args', configLimits.args) ?? [],
    ...(cwd === undefined ? {} : { cwd }),
    env: reader.textTable('env', configLimits.variables, VARIABLE, ANY_TEXT),
    envPass: reader.texts('env_pass', configLimits.variables, VARIABLE) ?? [],
  };
}

function httpOf(reader: ConfigReader, common: Common): HttpServer {
  return {
    kind: 'http',
    ...common,
    url: reader.url('url') ?? '',
    headers: {},
    headersEnv: reader.textTable('headers_env', configLimits.headers, HEADER, VARIABLE),
    ...(reader.has('oauth') ? { oauth: oauthOf(reader.table('oauth')) } : {}),
  };
}

function oauthOf(reader: ConfigReader): OAuthConfig {
  const tokenUrl = reader.url('token_url') ?? reader.refuse('token_url', 'must be given');
  const clientId =
    reader.text('client_id', 'must be one line of text') ?? reader.refuse('client_id', 'must be given');
  const variable = (key: string) => reader.text(key, 'must name an environment variable', VARIABLE);
  const refreshTokenEnv =
    variable('refresh_token_env') ?? reader.refuse('refresh_token_env', 'must be given');
  const clientSecretEnv = variable('client_secret_env');
  const scope = reader.text('scope', 'must be one line of text');
  const resource = reader.url('resource');
  const [first] = reader.unknown(OAUTH_KEYS);
  // Whoever misspells `scope` would ask for more than was meant.
  if (first !== undefined) throw new ConfigRefusal(first.at, 'is not known here');
  return {
    ...{ tokenUrl, clientId, refreshTokenEnv },
    ...(clientSecretEnv === undefined ? {} : { clientSecretEnv }),
    ...(scope === undefined ? {} : { scope }),
    ...(resource === undefined ? {} : { resource }),
  };
}
