import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { type Clock, encodeJson } from '@fairlead/base';
import { parseServerUrl } from '../client/api-client.ts';
import { clientLimits, mcpLimits } from '../limits.ts';
import type { Post, Poster, PostReply } from './post.ts';

type Open = (options: RequestOptions) => ClientRequest;

/** Posts with Node's own client, to any address. Keeps its connections; through a proxy each request has one of its own. */
export class KeepAliveClient implements Poster {
  readonly #clock: Clock;
  readonly #open: Open;
  readonly #agent: Agent;
  /** What every request begins with. */
  readonly #base: RequestOptions & { readonly path: string };

  private constructor(clock: Clock, url: URL, open: Open, agent: Agent) {
    this.#clock = clock;
    this.#open = open;
    this.#agent = agent;
    const { protocol, hostname, port, pathname } = url;
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    this.#base = { protocol, host, port, path: pathname, method: 'POST', agent };
  }

  /** Opens no socket yet. Rejects with `server_url_invalid` for a bad address. */
  static async to(clock: Clock, serverUrl: string, proxy: URL | null = null): Promise<KeepAliveClient> {
    const url = parseServerUrl(serverUrl, '');
    const isSecure = url.protocol === 'https:';
    const { Agent, request } = isSecure ? await import('node:https') : await import('node:http');
    if (proxy !== null) {
      const { ProxyAgent } = await import('../client/proxy-agent.ts');
      return new KeepAliveClient(clock, url, request, new ProxyAgent(proxy, isSecure));
    }
    // Node's agent lets go of an idle socket a second before the time that the server names; a proxy that names none gets ours.
    const agent = new Agent({
      keepAlive: true,
      maxSockets: mcpLimits.calls,
      maxFreeSockets: mcpLimits.idleSockets,
      timeout: mcpLimits.idleSocketMs,
    });
    return new KeepAliveClient(clock, url, request, agent);
  }

  post(wanted: Post): Promise<PostReply> {
    const { path, protocol } = this.#base;
    const payload = Buffer.from(encodeJson(wanted.body));
    return new Promise((resolve) => {
      let hasBegun = false;
      let isOver = false;
      const end = (reply: PostReply) => {
        if (isOver) return;
        isOver = true;
        timer.cancel();
        resolve(reply);
      };
      const fail = (reason: string) => {
        end({ kind: hasBegun ? 'lost' : 'unsent', reason });
        request.destroy();
      };
      const request = this.#open({
        ...this.#base,
        path: path === '/' ? wanted.path : `${path}${wanted.path}`,
        headers: {
          accept: wanted.accept,
          authorization: `Bearer ${wanted.token}`,
          'content-type': 'application/json',
          'content-length': payload.length,
        },
      });
      request.on('socket', (socket) => {
        // What is open takes the request at once, a kept socket or a proxy's way; a new socket when it is connected, and over TLS
        // when that stands too.
        if (!socket.connecting) hasBegun = true;
        else
          socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => {
            hasBegun = true;
          });
      });
      request.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'the connection failed'));
      request.on('response', (response) => collect(response, end, fail));
      const timer = this.#clock.setTimer(wanted.timeoutMs, () =>
        fail(`no answer within ${Math.ceil(wanted.timeoutMs / 1000)} s`),
      );
      request.end(payload);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function collect(
  response: IncomingMessage,
  end: (reply: PostReply) => void,
  fail: (reason: string) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > clientLimits.answerBytes) fail('the answer is too large');
    else chunks.push(chunk);
  });
  response.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'the answer broke off'));
  response.on('end', () => {
    if (!response.complete) return fail('the answer broke off');
    const [mediaType = ''] = (response.headers['content-type'] ?? '').split(';');
    const [first] = chunks;
    const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
    end({ kind: 'answered', status: response.statusCode ?? 0, mediaType, bytes });
  });
}
