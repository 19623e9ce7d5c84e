import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type Json } from '@fairlead/base';
import {
  classifyInboundRequest,
  createMcpHandler,
  type McpRequestContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { mcpLimits } from '../limits.ts';
import { callMcpTool, type McpCaller, type McpCallParts } from './mcp-calls.ts';
import { createMcpServer, type McpCallHandler } from './mcp-server.ts';
import { mcpTool } from './mcp-tool.ts';

/** One POST to `/mcp`, its caller authenticated and its body parsed within bounds. */
type McpPost = {
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
} & McpCaller;

/** What to answer; a body that is null is empty. */
type McpAnswer = { readonly status: number; readonly body: string | null };

/** The MCP endpoint without its HTTP server: one JSON answer for each POST, whatever revision it speaks. */
export type McpEndpoint = { answer(post: McpPost): Promise<McpAnswer> };

/** Serves MCP by the official package, statelessly: what a request may do is in the request itself, nothing in a connection. */
export function createMcpEndpoint(parts: McpCallParts & { readonly version: string }): McpEndpoint {
  const { version } = parts;
  const tools = parts.tools
    .filter(({ route }) => route === 'direct')
    .map(({ definition }) => mcpTool(definition));
  const factory = ({ authInfo }: McpRequestContext) =>
    createMcpServer({ version, tools, call: authInfo?.extra?.['call'] as McpCallHandler | undefined });
  const modern = createMcpHandler(factory, { legacy: 'reject' });

  return {
    async answer({ headers, body, principal, caller }) {
      const fault = shapeFault(body);
      if (fault !== null) return fault;
      const isCall = isJsonObject(body) && body['method'] === 'tools/call';
      const call: McpCallHandler | undefined = isCall
        ? (params) => callMcpTool(parts, { principal, caller }, params)
        : undefined;
      const authInfo = { token: '', clientId: principal.id, scopes: [], extra: { call } };
      const request = new Request(ADDRESS, { method: 'POST', headers: headersOf(headers) });
      const response = isLegacy(headers, body)
        ? await answerLegacy(createMcpServer({ version, tools, call }), request, body)
        : await modern.fetch(request, { parsedBody: body, authInfo });
      return { status: response.status, body: bounded(response.status, await response.text(), body) };
    },
  };
}

/** No request is sent to it. */
const ADDRESS = 'http://gateway.invalid/mcp';

/** The headers that the protocol reads. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

function headersOf(given: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = given[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  return headers;
}

/** Which revision a request speaks is decided by the package's own rule. */
function isLegacy(headers: IncomingHttpHeaders, body: Json): boolean {
  const named = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined);
  const protocolVersionHeader = named('mcp-protocol-version');
  const mcpMethodHeader = named('mcp-method');
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(protocolVersionHeader === undefined ? {} : { protocolVersionHeader }),
    ...(mcpMethodHeader === undefined ? {} : { mcpMethodHeader }),
  });
  return outcome.kind === 'legacy';
}

/** A 2025 request: answered with one JSON body, not with a stream of one event. */
async function answerLegacy(
  server: ReturnType<typeof createMcpServer>,
  request: Request,
  body: Json,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

/** What no revision that is served has, and what would be repeated in an answer at any length. */
function shapeFault(body: Json): McpAnswer | null {
  if (Array.isArray(body))
    return refusal(400, -32600, 'Batches are not served: send one message in each request.');
  if (!isJsonObject(body)) return refusal(400, -32600, 'The body must be one JSON-RPC message.');
  const { id = null, method } = body;
  if (typeof id === 'string' && id.length > mcpLimits.idCharacters)
    return refusal(400, -32600, `An id may have ${mcpLimits.idCharacters} characters.`);
  if (method === 'subscriptions/listen')
    // Nothing here ever changes, so there is nothing to listen to and no stream to hold open.
    return refusal(
      404,
      -32601,
      'Method not found',
      typeof id === 'string' || typeof id === 'number' ? id : null,
    );
  return null;
}

/** The package's words for a fault repeat what was sent; a long one is cut to its code. */
function bounded(status: number, text: string, body: Json): string | null {
  if (text === '') return null;
  if (status < 400 || text.length <= mcpLimits.faultCharacters) return text;
  const { error } = JSON.parse(text) as { error?: { code?: number } };
  const id = isJsonObject(body) ? (body['id'] ?? null) : null;
  return refusal(status, error?.code ?? -32600, 'The request is not one of this protocol.', id).body;
}

function refusal(status: number, code: number, message: string, id: Json = null): McpAnswer {
  return { status, body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }) };
}
