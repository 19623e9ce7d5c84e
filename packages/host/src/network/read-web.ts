import { type ConfigurationReading, readConfiguration, type TableReader } from '../configuration/table.ts';
import { webLimits } from '../limits.ts';

const SEARCH_TYPES = ['kagi', 'tavily', 'brave', 'serper', 'searxng', 'duckduckgo'] as const;

export type SearchType = (typeof SEARCH_TYPES)[number];

/** One `[[web.search]]` of `fairlead.toml`. */
export interface SearchTable {
  readonly type: SearchType;
  /** In place of the engine's own. Without a slash at its end. */
  readonly baseUrl?: string;
  /** The variable that holds its key. */
  readonly apiKeyEnv?: string;
}

/** `[web]` of `fairlead.toml`. */
export interface WebSettings {
  /** In the order in which they are asked; empty is DuckDuckGo alone. */
  readonly search: readonly SearchTable[];
}

/** The keys of `fairlead.toml` that are read here. */
export const webKeys: readonly string[] = ['web'];

/** Engines that answer nobody without a key. */
const KEYED: ReadonlySet<SearchType> = new Set(['kagi', 'tavily', 'brave', 'serper']);

/** Reads `[web]` of a parsed `fairlead.toml`. */
export function readWeb(document: Readonly<Record<string, unknown>>): ConfigurationReading<WebSettings> {
  return readConfiguration(document, (root) => {
    const web = root.table('web');
    web.onlyKnown(['search']);
    return { search: web.tables('search', webLimits.engines, '[[web.search]]').map(engineIn) };
  });
}

function engineIn(table: TableReader): SearchTable {
  table.onlyKnown(['type', 'base_url', 'api_key_env']);
  const type = table.word('type', SEARCH_TYPES) ?? table.refuse('type', 'is missing');
  const apiKeyEnv = table.text(
    'api_key_env',
    webLimits.text,
    'must be the name of a variable',
    /^[A-Za-z_][A-Za-z0-9_]*$/,
  );
  const baseUrl = addressIn(table, apiKeyEnv !== undefined);
  if (KEYED.has(type) && apiKeyEnv === undefined)
    table.refuse('api_key_env', 'must name the variable that holds the key');
  if (type === 'searxng' && baseUrl === undefined)
    table.refuse('base_url', 'must be the address of the server, such as http://127.0.0.1:8888');
  return {
    type,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
  };
}

function addressIn(table: TableReader, hasKey: boolean): string | undefined {
  const problem = 'must be an http or https address without a user name, a query or a fragment';
  const written = table.text('base_url', webLimits.text, problem);
  if (written === undefined) return undefined;
  const url = URL.canParse(written) ? new URL(written) : table.refuse('base_url', problem);
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!/^https?:$/.test(url.protocol) || !isPlain) table.refuse('base_url', problem);
  if (url.protocol === 'http:' && hasKey && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
    table.notice('base_url', 'is not encrypted: whoever can watch that network can read the key');
  return url.href.replace(/\/+$/, '');
}
