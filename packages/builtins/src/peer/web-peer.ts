import type { Outcome } from '@fairlead/base';

/** Whose call makes a request: what `Caller` says. */
interface Asking {
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
}

/** One request over HTTP. */
export interface WebRequest {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes of the answer that are kept. */
  readonly maxBytes: number;
  /** From the first look at the name to the end of the last answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What came back. */
export interface WebAnswer {
  readonly status: number;
  /** Names in small letters. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: Uint8Array;
  /** There was more than `maxBytes`. */
  readonly isCut: boolean;
  /** Where the answer came from, after redirects. */
  readonly url: string;
}

const SEARCH_TYPES = ['kagi', 'tavily', 'brave', 'serper', 'searxng', 'duckduckgo'] as const;

export type SearchType = (typeof SEARCH_TYPES)[number];

/** A search engine as `[[web.search]]` names it. */
export interface SearchBackend {
  readonly type: SearchType;
  /** In place of the engine's own address. Without a slash at its end. */
  readonly baseUrl?: string;
  /** The value of the variable that `api_key_env` names; absent where it has none. */
  readonly key?: string;
}

/** What the host gives to who looks at the web. */
export interface WebPeer {
  /**
   * Makes a request within the network grants of the call, each redirect judged like the request itself. Rejects, with a code, only where nothing was
   * sent: the call is over. Faults: `network_*`, `grant_denied`.
   */
  request(caller: Asking, request: WebRequest): Promise<Outcome<WebAnswer>>;
  /** In the order in which they are asked; empty is DuckDuckGo alone. */
  readonly search: readonly SearchBackend[];
}
