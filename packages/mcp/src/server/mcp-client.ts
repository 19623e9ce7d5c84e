import type { Json, JsonObject } from '@fairlead/base';
import type { Client, ClientOptions, RequestOptions, Tool, Transport } from '@modelcontextprotocol/client';
import { catalogBounds } from '../limits.ts';
import { CallEvidence, type PendingCalls, sending } from '../transport/call-evidence.ts';

/** What is asked of a server on behalf of a call. */
export interface WireCall {
  readonly method: 'tools/call' | 'resources/list' | 'resources/read' | 'prompts/list' | 'prompts/get';
  readonly params: JsonObject;
  /** Of `tools/call`: the approved definition, which headers are made from. */
  readonly definition?: JsonObject;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** The revision without a handshake; what a server of it alone is spoken to in. */
export const MODERN_REVISION = '2026-07-28';

/** Far beyond every deadline: those are the caller's. */
const NEVER_MS = 2_147_483_647;

/** How the official client is made: it asks nobody for anything, compiles no schema, and sends nothing a second time. */
export const CLIENT_OPTIONS: ClientOptions = {
  capabilities: {},
  inputRequired: { autoFulfill: false },
  // Schemas are checked here, within bounds; a validator that the client would compile is never asked for.
  jsonSchemaValidator: {
    getValidator() {
      throw new Error('schemas are not compiled here');
    },
  },
  // What a change means is read from the notification itself; this opens the stream that it comes on.
  listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => {} } },
};

/** Takes every result as it is: what is in it is read here, entry by entry. */
const AS_IT_IS = Object.freeze({
  '~standard': {
    version: 1 as const,
    vendor: 'fairlead',
    validate: (value: unknown) => ({ value: value as Json }),
  },
});

/** A connected official client, with what is known of each call. */
export class McpClient {
  readonly #client: Client;
  readonly #pending: PendingCalls;
  readonly #isModern: boolean;

  /** `transport` is the one that the client is connected over. */
  constructor(client: Client, transport: Transport, pending: PendingCalls, listChanged: () => void) {
    this.#client = client;
    this.#pending = pending;
    this.#isModern = client.getProtocolEra() === 'modern';
    pending.watch(transport, listChanged);
  }

  get instructions(): string | undefined {
    return this.#client.getInstructions();
  }

  get revision(): string | undefined {
    return this.#client.getNegotiatedProtocolVersion();
  }

  get offers(): { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean } {
    const { tools, resources, prompts } = this.#client.getServerCapabilities() ?? {};
    return { tools: tools !== undefined, resources: resources !== undefined, prompts: prompts !== undefined };
  }

  /** One page of a list. Rejects with whatever the official client says. */
  async page(method: 'tools/list', cursor: string | undefined): Promise<Json> {
    const params = cursor === undefined ? {} : { cursor };
    return (await this.#client.request({ method, params }, AS_IT_IS, {
      timeout: catalogBounds.listMs,
    })) as Json;
  }

  /** Sends one request and waits for its end, whatever that is. Never rejects, and never sends twice. */
  async call(call: WireCall): Promise<CallEvidence> {
    const settled = Promise.withResolvers<void>();
    const evidence = new CallEvidence(settled.resolve, call.progress);
    // Over a pipe whoever cancels, or the end of the connection, is the only end without an answer.
    const over = this.#pending.isStream ? undefined : new AbortController();
    const abort = () => over?.abort();
    if (over !== undefined) call.signal.addEventListener('abort', abort, { once: true });
    const options: RequestOptions = {
      timeout: NEVER_MS,
      signal: over?.signal ?? call.signal,
      // Asks for it; what comes is read from the messages.
      onprogress: NOT_HERE,
    };
    sending.run(evidence, () => {
      this.#send(call, options).then(evidence.settled, evidence.settled);
    });
    await settled.promise;
    evidence.withdraw();
    this.#pending.forget(evidence);
    if (over === undefined) return evidence;
    call.signal.removeEventListener('abort', abort);
    // Nobody waits for it any more: the official client forgets it too.
    if (evidence.answer === undefined) over.abort();
    return evidence;
  }

  #send({ method, params, definition }: WireCall, options: RequestOptions): Promise<unknown> {
    // Headers are made from arguments over HTTP alone, in the newer revision.
    const isMirrored = method === 'tools/call' && !this.#pending.isStream && this.#isModern;
    if (!isMirrored) return this.#client.request({ method, params }, AS_IT_IS, options);
    // Without its output schema: the client would hold the answer against it before anybody has it.
    const { name, inputSchema } = definition ?? {};
    const toolDefinition = { name, inputSchema } as unknown as Tool;
    return this.#client.callTool(params as { name: string; arguments: JsonObject }, {
      ...options,
      toolDefinition,
    });
  }
}

function NOT_HERE(): void {}
