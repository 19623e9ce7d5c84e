import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Certificate } from './certificate.ts';

const input = { a: z.number(), b: z.number() };
const output = { sum: z.number() };
const add = async ({ a, b }: { a: number; b: number }) => ({
  content: [{ type: 'text' as const, text: String(a + b) }],
  structuredContent: { sum: a + b },
});

function addServer(): McpServer {
  const server = new McpServer({ name: 'add', version: '1.0.0' });
  const schemas = { inputSchema: z.object(input), outputSchema: z.object(output) };
  server.registerTool('add', { description: 'Adds.', ...schemas }, add);
  return server;
}

/** Serves until the test ends, over TLS where there is a certificate; answers the address. */
export async function serve(
  t: TestContext,
  listener: RequestListener,
  certificate?: Certificate,
): Promise<string> {
  const server =
    certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const scheme = certificate === undefined ? 'http' : 'https';
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** The official v1 package with sessions: `sessions` are those that live, `requests` the methods of all that came. */
export async function serveV1(
  t: TestContext,
  enableJsonResponse = false,
): Promise<{
  readonly url: string;
  readonly sessions: ReadonlyMap<string, unknown>;
  readonly requests: readonly string[];
}> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const requests: string[] = [];
  t.after(() => Promise.all([...sessions.values()].map((transport) => transport.close())));
  const url = await serve(t, async (request, response) => {
    requests.push(String(request.method));
    const id = String(request.headers['mcp-session-id'] ?? '');
    let transport = sessions.get(id);
    if (transport === undefined && id !== '') {
      response
        .writeHead(404)
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
      return;
    }
    if (transport === undefined) {
      const made = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        enableJsonResponse,
        onsessioninitialized: (session) => void sessions.set(session, made),
        onsessionclosed: (session) => void sessions.delete(session),
      });
      transport = made;
      const server = new McpServerV1({ name: 'add', version: '1.0.0' });
      server.registerTool('add', { description: 'Adds.', inputSchema: input, outputSchema: output }, add);
      await server.connect(made as Parameters<typeof server.connect>[0]);
    }
    await transport.handleRequest(request, response);
  });
  return { url, sessions, requests };
}

/** The official v2 package: both eras, the newer one alone, or the older one alone. */
export async function serveV2(t: TestContext, era: 'both' | 'modern' | 'legacy'): Promise<string> {
  if (era === 'both') return await serve(t, toNodeHandler(createMcpHandler(addServer)) as RequestListener);
  if (era === 'modern')
    return await serve(
      t,
      toNodeHandler(createMcpHandler(addServer, { legacy: 'reject' })) as RequestListener,
    );
  return await serve(t, async (request, response) => {
    const transport = new NodeStreamableHTTPServerTransport({ enableJsonResponse: true });
    await addServer().connect(transport);
    await transport.handleRequest(request, response);
  });
}

interface RawRequest {
  readonly id: string | number | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}

export interface RawServer {
  readonly url: string;
  /** Requests of calls that arrived whole. */
  readonly calls: RawRequest[];
  /** Every other request, by method. */
  readonly others: string[];
}

type Answer = (request: RawRequest, response: ServerResponse, incoming: IncomingMessage) => void;

/** A server whose answer to calls is the test's; in one era. */
export async function serveRaw(
  t: TestContext,
  onCall: Answer,
  options: {
    readonly era?: 'legacy' | 'modern';
    readonly tools?: readonly unknown[];
    readonly before?: Answer;
    /** Those that are read and never answered. */
    readonly held?: (request: RawRequest) => boolean;
    /** It speaks TLS. */
    readonly certificate?: Certificate | undefined;
  } = {},
): Promise<RawServer> {
  const {
    era = 'legacy',
    tools = [{ name: 'act', inputSchema: { type: 'object' } }],
    before,
    held,
    certificate,
  } = options;
  const calls: RawRequest[] = [];
  const others: string[] = [];
  const json = (response: ServerResponse, body: unknown, headers = {}) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
  const listener: RequestListener = async (incoming, response) => {
    if (incoming.method !== 'POST') {
      others.push(String(incoming.method));
      response.writeHead(405).end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { id, method, params = {} } = JSON.parse(Buffer.concat(chunks).toString()) as RawRequest;
    const request: RawRequest = { id, method, params, headers: incoming.headers };
    const reply = (result: unknown, headers = {}) => json(response, { jsonrpc: '2.0', id, result }, headers);
    if (method === 'tools/call') {
      calls.push(request);
      onCall(request, response, incoming);
      return;
    }
    others.push(method);
    if (held?.(request) === true) return;
    if (before !== undefined) {
      before(request, response, incoming);
      if (response.headersSent || response.destroyed) return;
    }
    const modern = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    if (id === undefined) response.writeHead(202).end();
    else if (method === 'server/discover' && era === 'modern')
      reply({
        ...modern,
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'raw', version: '1' } },
      });
    else if (method === 'initialize' && era === 'legacy')
      reply(
        {
          protocolVersion: params['protocolVersion'],
          capabilities: { tools: {} },
          serverInfo: { name: 'raw', version: '1' },
        },
        { 'mcp-session-id': `session-${others.filter((one) => one === 'initialize').length}` },
      );
    else if (method === 'tools/list') reply({ ...modern, tools });
    else json(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  };
  return { url: await serve(t, listener, certificate), calls, others };
}
