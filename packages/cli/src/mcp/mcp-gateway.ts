import { FairleadError, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import {
  admitMcpCall,
  MCP_RESULT_TYPE,
  type McpCall,
  type McpFailure,
  type McpTool,
  mcpFailure,
  mcpTool,
  noSuchTool,
} from '@fairlead/gateway/mcp';
import { cliError } from '../cli-error.ts';
import { type Envelope, readAnswerJson, readEnvelope } from '../client/api-client.ts';
import { findGateway, type GatewayAddress, type GatewayFlags } from '../client/find-gateway.ts';
import type { CommandContext } from '../command-context.ts';
import { type CliErrorCode, cliErrors } from '../errors.ts';
import { answerTimeoutMs, mcpLimits } from '../limits.ts';
import { openPoster } from './open-poster.ts';
import type { Poster, PostReply } from './post.ts';

/** A gateway behind an MCP client: its list of tools, taken once, and the way to call them. */
export class McpGateway implements Disposable {
  readonly tools: readonly McpTool[];
  readonly #find: () => Promise<GatewayAddress>;
  readonly #context: CommandContext;
  #address: GatewayAddress;
  #client: Poster;
  #running = 0;

  private constructor(parts: {
    readonly context: CommandContext;
    readonly find: () => Promise<GatewayAddress>;
    readonly address: GatewayAddress;
    readonly client: Poster;
    readonly tools: readonly McpTool[];
  }) {
    this.#context = parts.context;
    this.#find = parts.find;
    this.#address = parts.address;
    this.#client = parts.client;
    this.tools = parts.tools;
  }

  /** Finds the gateway and asks it for its tools. Rejects with the codes of `findGateway`, `server_unreachable` and the gateway's own. */
  static async connect(context: CommandContext, flags: GatewayFlags): Promise<McpGateway> {
    const find = () => findGateway(context, flags);
    const address = await find();
    const client = await openPoster(context.clock, address.serverUrl, address.proxy);
    const reply = await client.post({
      path: '/api/tools/list',
      token: address.token,
      accept: 'application/json',
      body: {},
      timeoutMs: answerTimeoutMs.list,
    });
    return new McpGateway({ context, find, address, client, tools: toolsOf(reply, address) });
  }

  /** Carries out one `tools/call`. Throws a `ProtocolError` where there is nothing to carry out; everything else is a result. */
  async call(params: Json | undefined): Promise<JsonObject> {
    const admitted = admitMcpCall(params);
    if ('failure' in admitted) return admitted.failure;
    if (this.#running >= mcpLimits.calls) return failureOf('mcp_calls_full');
    this.#running += 1;
    try {
      return await this.#carryOut(admitted.call);
    } finally {
      this.#running -= 1;
    }
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  async #carryOut(call: McpCall): Promise<JsonObject> {
    const reply = await this.#post(call);
    if (reply.kind === 'unsent') return failureOf('server_unreachable');
    if (reply.kind === 'lost') return lost(call);
    if (reply.status === 200 && reply.mediaType === MCP_RESULT_TYPE) {
      const result = readAnswerJson(reply.bytes);
      return isJsonObject(result) ? result : lost(call);
    }
    const envelope = readEnvelope(reply.bytes);
    if (envelope?.error !== undefined && envelope.error !== null) return refusalOf(envelope, envelope.error);
    return reply.status === 401 || reply.status === 403 ? failureOf('access_refused') : lost(call);
  }

  /**
   * Posts once. Where nothing can have been sent or the token was not taken, the gateway may have been started anew, elsewhere or with
   * another operator token: it is looked for again, and asked once more.
   */
  async #post(call: McpCall): Promise<PostReply> {
    const reply = await this.#send(call);
    const nothingRan = reply.kind === 'unsent' || (reply.kind === 'answered' && reply.status === 401);
    return nothingRan && (await this.#findAgain()) ? await this.#send(call) : reply;
  }

  #send({ tool, params, recordingSessionId, context }: McpCall): Promise<PostReply> {
    return this.#client.post({
      path: '/api/tools/call',
      token: this.#address.token,
      accept: MCP_RESULT_TYPE,
      body: {
        tool,
        params,
        ...(recordingSessionId === undefined ? {} : { recording_session_id: recordingSessionId }),
        ...(context === undefined ? {} : { context: [...context] }),
      },
      timeoutMs: answerTimeoutMs.call,
    });
  }

  /** True when there is another gateway or token than before. */
  async #findAgain(): Promise<boolean> {
    try {
      const { serverUrl, token, proxy } = await this.#find();
      if (serverUrl === this.#address.serverUrl && token === this.#address.token) return false;
      const client = await openPoster(this.#context.clock, serverUrl, proxy);
      // Calls that still run on the old one keep their sockets until they end.
      this.#client = client;
      this.#address = { serverUrl, token };
      return true;
    } catch {
      return false;
    }
  }
}

function toolsOf(reply: PostReply, { serverUrl }: GatewayAddress): readonly McpTool[] {
  if (reply.kind !== 'answered')
    throw cliError('server_unreachable', { detail: { address: serverUrl, reason: reply.reason } });
  const envelope = readEnvelope(reply.bytes);
  if (envelope === null) throw cliError('access_refused', { detail: { status: reply.status } });
  const { error, output } = envelope;
  if (error !== null)
    throw new FairleadError(
      error.code,
      error.message,
      error.detail === undefined ? {} : { detail: error.detail },
    );
  const tools = isJsonObject(output) ? output['tools'] : null;
  if (!Array.isArray(tools)) throw cliError('access_refused', { detail: { status: reply.status } });
  return (tools as unknown as Parameters<typeof mcpTool>[0][]).map(mcpTool);
}

/** What the gateway refused, in its own words. */
function refusalOf(
  { dispatch_certainty: certainty, call }: Envelope,
  error: NonNullable<Envelope['error']>,
): JsonObject {
  if (error.code === 'unknown_tool' || error.code === 'tool_route_gateway') throw noSuchTool(error);
  return mcpFailure({ ...error, certainty, ...(call === undefined ? {} : { call }) });
}

function failureOf(code: CliErrorCode, certainty: McpFailure['certainty'] = 'not_started'): JsonObject {
  const { message, next: recovery } = cliErrors[code];
  return mcpFailure({ code, message, recovery, certainty });
}

/** An answer that did not come: only what reads has done nothing for certain. */
function lost({ tool, params }: McpCall): JsonObject {
  const reads = tool === 'plugin_tool' ? READS.has(String(params['action'])) : tool === 'read_tool_manifest';
  return failureOf('answer_lost', reads ? 'not_started' : 'outcome_unknown');
}

const READS: ReadonlySet<string> = new Set(['list', 'describe', 'outcome']);
