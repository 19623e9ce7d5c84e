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
  readsOnly,
} from '@fairlead/gateway/mcp';
import { cliError } from '../cli-error.ts';
import { type Envelope, readAnswerJson, readEnvelope } from '../client/api-client.ts';
import { findGateway, type GatewayAddress, type GatewayFlags } from '../client/find-gateway.ts';
import type { CommandContext } from '../command-context.ts';
import { type CliErrorCode, cliErrors } from '../errors.ts';
import { answerTimeoutMs, mcpLimits } from '../limits.ts';
import { GatewayWay } from './gateway-way.ts';
import { openPoster } from './open-poster.ts';
import type { Post, PostReply } from './post.ts';

/** A gateway behind an MCP client: its list of tools, taken once, and the way to call them. */
export class McpGateway implements Disposable {
  readonly tools: readonly McpTool[];
  readonly #context: CommandContext;
  readonly #find: () => Promise<GatewayAddress>;
  #way: GatewayWay;
  /** One look for the gateway at a time: whoever fails meanwhile waits for what it finds. */
  #looking: Promise<void> | null = null;
  #running = 0;
  #isClosed = false;

  private constructor(parts: {
    readonly context: CommandContext;
    readonly find: () => Promise<GatewayAddress>;
    readonly way: GatewayWay;
    readonly tools: readonly McpTool[];
  }) {
    this.#context = parts.context;
    this.#find = parts.find;
    this.#way = parts.way;
    this.tools = parts.tools;
  }

  /** Finds the gateway and asks it for its tools. Rejects with the codes of `findGateway`, `server_unreachable`, `read_lost` and the gateway's own. */
  static async connect(context: CommandContext, flags: GatewayFlags): Promise<McpGateway> {
    const find = () => findGateway(context, flags);
    const address = await find();
    const way = new GatewayWay(address, await openPoster(context.clock, address.serverUrl, address.proxy));
    try {
      const reply = await way.post({
        path: '/api/tools/list',
        accept: 'application/json',
        body: {},
        timeoutMs: answerTimeoutMs.list,
      });
      return new McpGateway({ context, find, way, tools: toolsOf(reply, address) });
    } catch (error) {
      way.leave();
      throw error;
    }
  }

  /** Carries out one `tools/call`; `signal` hangs up. Throws a `ProtocolError` where there is nothing to carry out; everything else is a result. */
  async call(params: Json | undefined, signal?: AbortSignal): Promise<JsonObject> {
    const admitted = admitMcpCall(params);
    if ('failure' in admitted) return admitted.failure;
    if (this.#running >= mcpLimits.calls) return failureOf('mcp_calls_full');
    this.#running += 1;
    try {
      return await this.#carryOut(admitted.call, signal);
    } finally {
      this.#running -= 1;
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#way[Symbol.dispose]();
  }

  async #carryOut(call: McpCall, signal: AbortSignal | undefined): Promise<JsonObject> {
    const reply = await this.#post(call, signal);
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
   * Posts once. Where nothing was carried out for certain, the gateway may have been started anew, elsewhere or with another operator
   * token: where another way to it is found, it is asked over that one, which makes it the first request that arrives.
   */
  async #post(call: McpCall, signal: AbortSignal | undefined): Promise<PostReply> {
    const way = this.#way;
    const request = requestOf(call, signal);
    const reply = await way.post(request);
    // Nobody wants it any more.
    if (!nothingRan(reply) || signal?.aborted === true) return reply;
    if (this.#way === way) await this.#look();
    return this.#way === way ? reply : await this.#way.post(request);
  }

  #look(): Promise<void> {
    this.#looking ??= this.#findAgain().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Goes another way from here on where there is another gateway or token than before. */
  async #findAgain(): Promise<void> {
    try {
      const address = await this.#find();
      if (this.#way.leadsTo(address)) return;
      const poster = await openPoster(this.#context.clock, address.serverUrl, address.proxy);
      const before = this.#way;
      this.#way = new GatewayWay(address, poster);
      before.leave();
      if (this.#isClosed) this.#way[Symbol.dispose]();
    } catch {
      // None is found: what was answered before stands.
    }
  }
}

function requestOf(
  { tool, params, recordingSessionId, context }: McpCall,
  signal: AbortSignal | undefined,
): Omit<Post, 'token'> {
  return {
    path: '/api/tools/call',
    accept: MCP_RESULT_TYPE,
    body: {
      tool,
      params,
      ...(recordingSessionId === undefined ? {} : { recording_session_id: recordingSessionId }),
      ...(context === undefined ? {} : { context: [...context] }),
    },
    timeoutMs: answerTimeoutMs.call,
    ...(signal === undefined ? {} : { signal }),
  };
}

/**
 * True where it is proven that nothing was carried out: no byte was written, or a gateway says so of a token that it does not
 * know, before it has read what was asked. A bare 401 is a stranger's word: enough to be told, not to send a call again.
 */
function nothingRan(reply: PostReply): boolean {
  if (reply.kind !== 'answered') return reply.kind === 'unsent';
  if (reply.status !== 401) return false;
  const envelope = readEnvelope(reply.bytes);
  return envelope?.error?.code === 'unauthorized' && envelope.dispatch_certainty === 'not_started';
}

function toolsOf(reply: PostReply, { serverUrl }: GatewayAddress): readonly McpTool[] {
  if (reply.kind !== 'answered') {
    const code = reply.kind === 'unsent' ? 'server_unreachable' : 'read_lost';
    throw cliError(code, { detail: { address: serverUrl, reason: reply.reason } });
  }
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

/** An answer that did not come: only what reads has changed nothing for certain. */
function lost({ tool, params }: McpCall): JsonObject {
  return readsOnly(tool, params) ? failureOf('read_lost') : failureOf('answer_lost', 'outcome_unknown');
}
