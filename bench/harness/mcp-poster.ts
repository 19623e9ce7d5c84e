import { JsonPoster } from './json-poster.ts';

/** A revision of the protocol that is measured: the newest of each way of speaking it. */
export type McpRevision = '2025-11-25' | '2026-07-28';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fairlead-bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

type Message = {
  readonly result?: { readonly structuredContent?: unknown; readonly isError?: boolean };
  readonly error?: unknown;
};

/** `tools/call` of one tool of one MCP server, over one kept connection and without a client library. */
export class McpPoster implements Disposable {
  readonly #poster: JsonPoster;
  readonly #path: string;
  readonly #tool: string;
  readonly #meta: object;
  #id = 0;

  constructor(options: {
    readonly url: string;
    readonly path: string;
    readonly tool: string;
    readonly revision: McpRevision;
    readonly headers?: Readonly<Record<string, string>>;
  }) {
    const { url, path, tool, revision, headers = {} } = options;
    const isModern = revision === '2026-07-28';
    this.#poster = new JsonPoster(url, {
      ...headers,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      ...(isModern ? { 'mcp-method': 'tools/call', 'mcp-name': tool } : {}),
    });
    this.#path = path;
    this.#tool = tool;
    this.#meta = isModern ? { _meta: META } : {};
  }

  /** The result of one call; rejects when there is none. */
  async call(given: Readonly<Record<string, unknown>>): Promise<NonNullable<Message['result']>> {
    this.#id += 1;
    const params = { name: this.#tool, arguments: given, ...this.#meta };
    const answer = await this.#poster.post(this.#path, {
      jsonrpc: '2.0',
      id: this.#id,
      method: 'tools/call',
      params,
    });
    const { result } = answer as Message;
    if (result === undefined || result.isError === true)
      throw new Error(`no result: ${JSON.stringify(answer)}`);
    return result;
  }

  [Symbol.dispose](): void {
    this.#poster[Symbol.dispose]();
  }
}
