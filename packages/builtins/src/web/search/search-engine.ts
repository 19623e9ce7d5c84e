import { isJsonObject, type Json } from '@fairlead/base';
import type { SearchBackend, SearchType } from '../../peer/web-peer.ts';
import { type SearchResult, searchResult } from '../page/search-result.ts';

/** What is sent to an engine. */
interface SearchRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One engine: where it is, how it is asked, what its answer says. */
export interface SearchEngine {
  readonly home: string;
  readonly needsKey: boolean;
  request(ask: { readonly base: string; readonly key: string; query: string; max: number }): SearchRequest;
  /** Undefined where the answer is none of this engine's. Absent: its answer is a page. */
  readonly read?: (answer: Json) => readonly SearchResult[] | undefined;
}

/** The engines by the `type` of `[[web.search]]`. */
export const searchEngines: Readonly<Record<SearchType, SearchEngine>> = Object.freeze({
  kagi: {
    home: 'https://kagi.com',
    needsKey: true,
    request: ({ base, key, query, max }) =>
      get(`${base}/api/v0/search`, { q: query, limit: String(max) }, { authorization: `Bot ${key}` }),
    // Related searches stand among the results, as `t: 1`.
    read: (answer) =>
      rowsOf(answer, ['data'])?.flatMap((row) =>
        row['t'] === 0 ? resultOf(row, 'title', 'url', 'snippet') : [],
      ),
  },
  tavily: {
    home: 'https://api.tavily.com',
    needsKey: true,
    request: ({ base, key, query, max }) =>
      post(`${base}/search`, { query, max_results: max }, { authorization: `Bearer ${key}` }),
    read: (answer) => rowsOf(answer, ['results'])?.flatMap((row) => resultOf(row, 'title', 'url', 'content')),
  },
  brave: {
    home: 'https://api.search.brave.com',
    needsKey: true,
    request: ({ base, key, query, max }) =>
      get(
        `${base}/res/v1/web/search`,
        { q: query, count: String(max) },
        {
          'x-subscription-token': key,
        },
      ),
    // Where nothing was found, `web` is left out.
    read: (answer) =>
      isJsonObject(answer) && answer['type'] === 'search' && answer['web'] === undefined
        ? []
        : rowsOf(answer, ['web', 'results'])?.flatMap((row) => resultOf(row, 'title', 'url', 'description')),
  },
  serper: {
    home: 'https://google.serper.dev',
    needsKey: true,
    request: ({ base, key, query, max }) =>
      post(`${base}/search`, { q: query, num: max }, { 'x-api-key': key }),
    read: (answer) =>
      rowsOf(answer, ['organic'])?.flatMap((row) => resultOf(row, 'title', 'link', 'snippet')),
  },
  searxng: {
    home: 'http://127.0.0.1:8888',
    needsKey: false,
    request: ({ base, key, query }) =>
      get(
        `${base}/search`,
        { q: query, format: 'json' },
        key === '' ? {} : { authorization: `Bearer ${key}` },
      ),
    read: (answer) => rowsOf(answer, ['results'])?.flatMap((row) => resultOf(row, 'title', 'url', 'content')),
  },
  duckduckgo: {
    home: 'https://html.duckduckgo.com',
    needsKey: false,
    request: ({ base, query }) => ({
      ...get(`${base}/html/`, { q: query }, {}),
      headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0 (compatible; fairlead)' },
    }),
  },
});

/** Who is asked where nobody is named. */
export const DEFAULT_SEARCH: readonly SearchBackend[] = Object.freeze([{ type: 'duckduckgo' }]);

/** What a search would touch: the first request of each engine, without its query. */
export function searchTargets(
  backends: readonly Pick<SearchBackend, 'type' | 'baseUrl'>[],
): readonly { readonly url: string; readonly method: string }[] {
  return (backends.length === 0 ? DEFAULT_SEARCH : backends).map((backend) => {
    const { request } = searchEngines[backend.type];
    const { url, method } = request({ base: searchAddress(backend), key: '', query: '', max: 1 });
    return { url, method };
  });
}

/** Where an engine is asked. */
export function searchAddress({ type, baseUrl }: Pick<SearchBackend, 'type' | 'baseUrl'>): string {
  return baseUrl ?? searchEngines[type].home;
}

function get(
  address: string,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): SearchRequest {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url: url.href, method: 'GET', headers: { accept: 'application/json', ...headers } };
}

function post(
  url: string,
  body: { readonly [name: string]: Json },
  headers: Readonly<Record<string, string>>,
): SearchRequest {
  return {
    url,
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

type Row = { readonly [name: string]: Json };

/** The objects of the list that stands at a path; undefined where there is no list. */
function rowsOf(answer: Json, path: readonly string[]): readonly Row[] | undefined {
  let at: Json | undefined = answer;
  for (const name of path) at = isJsonObject(at) ? at[name] : undefined;
  return Array.isArray(at) ? at.filter((row): row is Row => isJsonObject(row)) : undefined;
}

function resultOf(row: Row, title: string, url: string, snippet: string): SearchResult[] {
  const result = searchResult(row[title], row[url], row[snippet]);
  return result === undefined ? [] : [result];
}
