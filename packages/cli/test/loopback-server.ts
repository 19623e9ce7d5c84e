import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Json } from '@fairlead/base';

export type LoopbackServer = {
  readonly url: string;
  /** The bytes of each connection so far. */
  readonly received: readonly string[];
};

type TestLike = { after(hook: () => unknown): void };

/** A server of raw bytes: `onRequest` is called once a connection has sent a whole header. Ends with the test. */
export async function rawServer(
  t: TestLike,
  onRequest: (socket: Socket, request: string) => void,
): Promise<LoopbackServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const index = received.push('') - 1;
    let isAnswered = false;
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received[index] += chunk.toString('latin1');
      if (isAnswered || !(received[index] ?? '').includes('\r\n\r\n')) return;
      isAnswered = true;
      onRequest(socket, received[index] ?? '');
    });
  });
  const url = await listen(t, server, () => {
    for (const socket of sockets) socket.destroy();
  });
  return { url, received };
}

/** One whole HTTP answer. */
export function httpAnswer(status: number, body: string, headers: readonly string[] = []): string {
  const head = [`HTTP/1.1 ${status} X`, `content-length: ${Buffer.byteLength(body)}`, ...headers];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

export type ApiServer = {
  readonly url: string;
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly authorization: string | undefined;
    readonly body: Json;
  }[];
};

/** A gateway that answers each request with the next of `answers`: status and envelope. The last one is repeated. */
export async function apiServer(
  t: TestLike,
  answers: readonly { readonly status?: number; readonly envelope: Json }[],
): Promise<ApiServer> {
  const requests: ApiServer['requests'][number][] = [];
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { method = '', url = '', headers } = request;
      const health = url === '/healthz';
      if (!health) {
        requests.push({
          method,
          path: url,
          authorization: headers.authorization,
          body: text === '' ? null : (JSON.parse(text) as Json),
        });
      }
      const answer = health
        ? { status: 200, envelope: success({ name: 'fairlead', version: '0.1.0' }) }
        : (answers[requests.length - 1] ?? answers[answers.length - 1]);
      response
        .writeHead(answer?.status ?? 200, { connection: 'close' })
        .end(JSON.stringify(answer?.envelope));
    });
  });
  return { url: await listen(t, server, () => server.closeAllConnections()), requests };
}

/** One request as a routed server got it. */
export type RoutedRequest = ApiServer['requests'][number];

/** A gateway that answers by method and path; a route that is not there answers `not_routed`. */
export async function routedServer(
  t: TestLike,
  routes: Readonly<Record<string, (request: RoutedRequest, response: ServerResponse) => Json | null>>,
): Promise<ApiServer> {
  const requests: RoutedRequest[] = [];
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { method = '', url = '', headers } = request;
      const body = text === '' ? null : (JSON.parse(text) as Json);
      const seen = { method, path: url, authorization: headers.authorization, body };
      if (url !== '/healthz') requests.push(seen);
      response.setHeader('connection', 'close');
      const route =
        url === '/healthz'
          ? () => success({ name: 'fairlead', version: '0.1.0' })
          : routes[`${method} ${url}`];
      const envelope = route === undefined ? failure('not_routed', 'not_started') : route(seen, response);
      // A route that answers by itself gives null.
      if (envelope !== null) response.end(JSON.stringify(envelope));
    });
  });
  return { url: await listen(t, server, () => server.closeAllConnections()), requests };
}

/** An envelope with an output. */
export function success(output: Json): Json {
  return { success: true, output, error: null, dispatch_certainty: 'completed' };
}

/** An envelope with an error. */
export function failure(code: string, certainty: string, more: Readonly<Record<string, Json>> = {}): Json {
  const error = { code, message: `The server says ${code}.`, ...more };
  return { success: false, output: null, error, dispatch_certainty: certainty };
}

/** An address on which nothing listens. */
export async function deadUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

async function listen(t: TestLike, server: Server, hangUp: () => void): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    hangUp();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
