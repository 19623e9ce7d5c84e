import { Agent, type ClientRequestArgs, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import { clientLimits } from '../limits.ts';

type Opened = (error: Error | null, socket?: Duplex) => void;
type SocketOptions = ClientRequestArgs & { readonly servername?: string };

/**
 * Opens each socket through a proxy by CONNECT, also for plain http: the proxy sees an address and bytes. The request gets a
 * socket when the way is open and TLS, where there is any, is agreed; a proxy that refuses has seen nothing of the request.
 */
export class ProxyAgent extends Agent {
  readonly #proxy: URL;
  /** What is on its way to be a socket: a request that is given up cannot reach it, so the agent ends it. */
  readonly #opening = new Set<{ destroy(error?: Error): unknown }>();
  readonly #isSecure: boolean;
  /** What Node takes the agent's requests for. */
  readonly defaultPort: number;
  readonly protocol: string;

  /** `isSecure`: the other end speaks TLS. */
  constructor(proxy: URL, isSecure: boolean) {
    super({ keepAlive: false });
    this.#proxy = proxy;
    this.#isSecure = isSecure;
    this.defaultPort = isSecure ? 443 : 80;
    this.protocol = isSecure ? 'https:' : 'http:';
  }

  override createConnection(options: SocketOptions, opened: Opened): undefined {
    const host = String(options.host ?? 'localhost');
    const target = `${host.includes(':') ? `[${host}]` : host}:${options.port ?? this.defaultPort}`;
    const open = this.#proxy.protocol === 'https:' ? httpsRequest : httpRequest;
    const asking = open({
      host: this.#proxy.hostname.replace(/^\[|\]$/g, ''),
      port: this.#proxy.port === '' ? (this.#proxy.protocol === 'https:' ? 443 : 80) : this.#proxy.port,
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: { host: target, ...credentials(this.#proxy) },
    });
    const done = this.#own(asking);
    asking.once('error', (error) => {
      done();
      opened(named(error, 'the proxy'));
    });
    asking.once('response', (response) => {
      done();
      response.resume();
      asking.destroy();
      opened(refusal(response.statusCode));
    });
    asking.once('connect', (response, socket) => {
      done();
      asking.removeAllListeners('error');
      if (response.statusCode !== 200) {
        socket.destroy();
        opened(refusal(response.statusCode));
      } else if (!this.#isSecure) opened(null, socket);
      else this.#secure(socket, options.servername ?? host, opened);
    });
    asking.end();
    return undefined;
  }

  /** Ends what is being opened, too. */
  override destroy(): void {
    for (const opening of this.#opening) opening.destroy(gaveUp('was given up'));
    super.destroy();
  }

  #secure(socket: Duplex, host: string, opened: Opened): void {
    const isName = !/^[\d.]+$|:/.test(host);
    const encrypted = tlsConnect({ socket, host, ...(isName ? { servername: host } : {}) });
    const done = this.#own(encrypted);
    const fail = (error: Error) => {
      done();
      opened(error);
    };
    encrypted.once('error', fail);
    encrypted.once('secureConnect', () => {
      done();
      encrypted.removeListener('error', fail);
      opened(null, encrypted);
    });
  }

  /** Keeps what is being opened, for as long as that may take. Returns the way to let go of it. */
  #own(opening: { destroy(error?: Error): unknown }): () => void {
    this.#opening.add(opening);
    const seconds = clientLimits.proxyOpenMs / 1000;
    const timer = setTimeout(
      () => opening.destroy(gaveUp(`did not open a way within ${seconds} s`)),
      clientLimits.proxyOpenMs,
    );
    return () => {
      clearTimeout(timer);
      this.#opening.delete(opening);
    };
  }
}

function gaveUp(why: string): Error {
  return Object.assign(new Error(`the proxy ${why}`), { code: `the proxy ${why}` });
}

function credentials({ username, password }: URL): { readonly 'proxy-authorization'?: string } {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** The reason that people read stands in `code`, as it does in an error of the system. */
function refusal(status: number | undefined): Error {
  return Object.assign(new Error('the proxy refused'), { code: `the proxy answered HTTP ${status ?? 0}` });
}

function named(error: NodeJS.ErrnoException, who: string): Error {
  return Object.assign(new Error(error.message, { cause: error }), {
    code: `${who}: ${error.code ?? 'the connection failed'}`,
  });
}
