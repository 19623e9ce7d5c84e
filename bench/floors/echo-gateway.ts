import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { waitFor } from '@fairlead/testing';
import { childPath } from '../harness/bare-provider.ts';
import type { BenchContext } from '../harness/bench.ts';

type Answer = { readonly session: string | null; readonly result: unknown };
type Message = { readonly id?: number; readonly result?: unknown };

const REVISION = '2025-06-18';
const READY_LIMIT_MS = 30_000;

/**
 * An MCP server over stdio behind supergateway 4, which keeps it running for the session that is opened here. Its answers come as
 * event streams. One kept connection a lane; gives each answer's result.
 */
export async function echoGateway(
  context: BenchContext,
  folder: string,
  stack: AsyncDisposableStack,
): Promise<(text: string) => Promise<unknown>> {
  const port = await freePort();
  const server = [process.execPath, childPath('mcp-v1-echo-server.mjs')].map((word) => `'${word}'`).join(' ');
  context.children.start(
    process.execPath,
    [
      ...[join(folder, 'node_modules/supergateway/dist/index.js'), '--stdio', server, '--stateful'],
      ...['--outputTransport', 'streamableHttp', '--port', String(port), '--logLevel', 'none'],
    ],
    { stderrFile: join(context.folder, 'supergateway.stderr') },
  );
  const agent = new Agent({ keepAlive: true });
  stack.defer(() => agent.destroy());
  const post = poster(agent, port);
  const opened = await waitFor(
    () => post({ id: 1, method: 'initialize', params: initialize }, null).catch(() => null),
    { what: 'supergateway', timeoutMs: READY_LIMIT_MS, intervalMs: 50 },
  );
  await post({ method: 'notifications/initialized' }, opened.session);
  let id = 1;
  return async (text) => {
    id += 1;
    const params = { name: 'echo', arguments: { text } };
    return (await post({ id, method: 'tools/call', params }, opened.session)).result;
  };
}

const initialize = {
  protocolVersion: REVISION,
  capabilities: {},
  clientInfo: { name: 'fairlead-bench', version: '1.0.0' },
};

function poster(agent: Agent, port: number) {
  return (message: object, session: string | null): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(body),
      ...(session === null ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': REVISION }),
    };
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent, headers };
      const sent = request({ ...options, timeout: READY_LIMIT_MS }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('error', reject);
        answer.on('end', () => {
          if ((answer.statusCode ?? 500) >= 300)
            reject(new Error(`supergateway: ${answer.statusCode} ${text}`));
          else resolve({ session: sessionOf(answer), result: text === '' ? null : messageOf(text).result });
        });
      });
      sent.on('timeout', () => sent.destroy(new Error('supergateway does not answer')));
      sent.on('error', reject);
      sent.end(body);
    });
  };
}

function sessionOf({ headers }: IncomingMessage): string | null {
  const session = headers['mcp-session-id'];
  return typeof session === 'string' ? session : null;
}

/** The answer in a body: the body itself, or the event of a stream that has a result. */
function messageOf(text: string): Message {
  if (text.startsWith('{')) return JSON.parse(text) as Message;
  const line = text.split('\n').find((one) => one.startsWith('data: ') && one.includes('"result"'));
  if (line === undefined) throw new Error(`supergateway answered ${text}`);
  return JSON.parse(line.slice('data: '.length)) as Message;
}

/** supergateway does not say which port it took where it is given 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
