import { isAbsolute, join } from 'node:path';
import { parseJson, readTextFile } from '@fairlead/base';
import { configLimits } from '../limits.ts';
import { ConfigReader, ConfigRefusal } from './config-reader.ts';
import { ANY_TEXT, HEADER, type MaySend, VARIABLE } from './read-mcp-tables.ts';
import { variablesIn } from './resolve-variables.ts';
import type { ServerConfig } from './server-config.ts';

/** The servers of an imported file, and what of it was left out: a file of another client stops nothing. */
export interface McpFileReading {
  readonly servers: readonly ServerConfig[];
  /** One sentence each, without a value. */
  readonly problems: readonly string[];
}

/** What holds for every imported file. */
export interface ImportTerms {
  /** What a relative path is meant from. */
  readonly folder: string;
  /** The home of whoever starts the host, for `~/`. */
  readonly home: string | undefined;
  /** A server whose headers would carry anything else of the host is left out. */
  readonly maySend: MaySend;
  /** Variables that hold secrets of the host: of these it is said. */
  readonly secretVariables: readonly string[];
}

/**
 * Reads a file in the form that other clients have: `{"mcpServers": {NAME: {command, args, env, cwd} | {url, headers}}}`, `servers` in the place of
 * `mcpServers` too. A name becomes one of ours: small letters, digits, `-`. Nothing of the
 * environment is read here: what a header may carry is named in `terms`.
 */
export async function readMcpFile(path: string, terms: ImportTerms): Promise<McpFileReading> {
  const { folder, home } = terms;
  const place =
    home !== undefined && path.startsWith('~/')
      ? join(home, path.slice(2))
      : isAbsolute(path)
        ? path
        : join(folder, path);
  const file = await readTextFile(place, configLimits.importBytes);
  if (!file.ok) return { servers: [], problems: [`${path}: it cannot be read (${file.fault})`] };
  const parsed = parseJson(Buffer.from(file.text), BOUNDS);
  if (!parsed.ok)
    return { servers: [], problems: [`${path}: it is no JSON that can be used (${parsed.fault})`] };
  return readMcpDocument(parsed.value, path, terms);
}

const BOUNDS = Object.freeze({
  maxBytes: configLimits.importBytes,
  maxDepth: 16,
  maxNodes: 65_536,
  maxStringBytes: configLimits.textBytes,
  maxKeyBytes: 1024,
});

function readMcpDocument(document: unknown, path: string, terms: ImportTerms): McpFileReading {
  const servers = new Map<string, ServerConfig>();
  const problems: string[] = [];
  try {
    const root = new ConfigReader(document, []);
    const key = root.has('mcpServers') ? 'mcpServers' : 'servers';
    for (const [given, entry] of root.table(key).entries()) {
      try {
        const server = serverOf(given, new ConfigReader(entry, [key, given]), path, terms);
        if (server === undefined) continue;
        if (servers.has(server.name)) problems.push(`${path}: ${server.name} stands twice`);
        else servers.set(server.name, server);
      } catch (thrown) {
        problems.push(problemOf(thrown, path));
      }
    }
  } catch (thrown) {
    problems.push(problemOf(thrown, path));
  }
  return { servers: [...servers.values()], problems };
}

function problemOf(thrown: unknown, path: string): string {
  if (!(thrown instanceof ConfigRefusal)) throw thrown;
  const at =
    thrown.at.length === 0
      ? 'it'
      : thrown.at
          .join('.')
          .replaceAll(/[^\x20-\x7e]/g, '?')
          .slice(0, 128);
  return `${path}: ${at} ${thrown.message}`;
}

/** Undefined for one that is switched off there. */
function serverOf(
  given: string,
  reader: ConfigReader,
  file: string,
  terms: ImportTerms,
): ServerConfig | undefined {
  if (reader.value('disabled') === true || reader.value('enabled') === false) return undefined;
  const name = nameOf(given);
  if (name === '') throw new ConfigRefusal(reader.at, 'has a name without a letter or digit');
  const common = {
    ...{ name, file },
    startupTimeoutMs: configLimits.startupTimeoutSecs.fallback * 1000,
    timeoutMs: configLimits.timeoutSecs.fallback * 1000,
    maxOutputBytes: configLimits.maxOutputBytes.fallback,
    newTools: 'ask' as const,
  };
  const url = reader.url(reader.has('url') ? 'url' : 'serverUrl');
  if (url !== undefined) {
    if (reader.value('type') === 'sse') throw new ConfigRefusal(reader.at, 'speaks the old SSE transport');
    const headers = reader.textTable('headers', configLimits.headers, HEADER, /^[^\0\r\n]*$/u);
    holdToTerms(reader, new URL(url).origin, variablesIn(headers), terms);
    return { kind: 'http', ...common, url, headers, headersEnv: {} };
  }
  const command = reader.text('command', 'must name a program');
  if (command === undefined) throw new ConfigRefusal(reader.at, 'has neither command nor url');
  const cwd = reader.text('cwd', 'must name a folder');
  return {
    kind: 'stdio',
    ...common,
    command,
    args: reader.texts('args', configLimits.args) ?? [],
    ...(cwd === undefined ? {} : { cwd }),
    env: reader.textTable('env', configLimits.variables, VARIABLE, ANY_TEXT),
    envPass: [],
  };
}

/** Another's file does not decide what of this host is sent where. */
function holdToTerms(
  reader: ConfigReader,
  origin: string,
  variables: readonly string[],
  { maySend, secretVariables }: ImportTerms,
): void {
  const unnamed = variables.filter((name) => maySend.get(origin)?.includes(name) !== true);
  if (unnamed.length === 0) return;
  const [secret] = unnamed.filter((name) => secretVariables.includes(name));
  const place = origin.slice(0, SHOWN);
  // No line to copy: whoever wants that writes it.
  if (secret !== undefined)
    throw new ConfigRefusal(reader.at, `would send ${secret}, a secret of this host, to ${place}`);
  const names = unnamed.join(', ').slice(0, SHOWN);
  const line = `import_may_send = { "${place}" = ${JSON.stringify(variables)} }`.slice(0, SHOWN);
  throw new ConfigRefusal(
    reader.at,
    `would send ${names} to ${place}; if it may, say so under [mcp]: ${line}`,
  );
}

/** UTF-16 units of what another's file says of itself. */
const SHOWN = 300;

function nameOf(given: string): string {
  return given
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 32);
}
