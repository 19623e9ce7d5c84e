import type { Agent, RequestOptions } from 'node:http';
import { type Clock, encodeJson } from '@fairlead/base';
import { parseServerUrl } from '../client/api-client.ts';
import { exchange, type OpenRequest } from '../client/exchange.ts';
import { mcpLimits } from '../limits.ts';
import type { Post, Poster, PostReply } from './post.ts';

/** Posts with Node's own client, to any address. Keeps its connections; through a proxy each request has one of its own. */
export class KeepAliveClient implements Poster {
  readonly #clock: Clock;
  readonly #open: OpenRequest;
  readonly #agent: Agent;
  /** What every request begins with. */
  readonly #base: RequestOptions & { readonly path: string };

  private constructor(clock: Clock, url: URL, open: OpenRequest, agent: Agent) {
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

  async post({ path: wantedPath, accept, token, body, timeoutMs, signal }: Post): Promise<PostReply> {
    const { path, protocol } = this.#base;
    const payload = Buffer.from(encodeJson(body));
    const exchanged = await exchange({
      clock: this.#clock,
      open: this.#open,
      isSecure: protocol === 'https:',
      payload,
      timeoutMs,
      signal,
      request: {
        ...this.#base,
        path: path === '/' ? wantedPath : `${path}${wantedPath}`,
        headers: {
          accept,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': payload.length,
        },
      },
    });
    if (exchanged.kind !== 'answered') return exchanged;
    const { status, headers, bytes } = exchanged;
    const [mediaType = ''] = (headers['content-type'] ?? '').split(';');
    return { kind: 'answered', status, mediaType, bytes };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
