import type { IncomingHttpHeaders } from 'node:http';
import { type Clock, completed, failed, type Outcome } from '@fairlead/base';
import { type HostErrorCode, hostErrors } from '../errors.ts';
import type { NetworkGrant } from '../grants/grants.ts';
import { networkLimits } from '../limits.ts';
import { type ExchangeAnswer, exchange } from './exchange.ts';
import { judgeUrl } from './judge-url.ts';
import { pinAddresses, type Resolver } from './pinned-addresses.ts';
import { checkedHeaders, type RequestHeaders, redirectedHeaders } from './request-headers.ts';

export interface GuardedRequest {
  /** http or https, without a user name. */
  readonly url: string;
  /** `GET` where it is left out; in any case of letters. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Not with GET or HEAD. */
  readonly body?: string | Uint8Array;
  /** The network grant in force. Undefined allows every endpoint and private networks too; a session always has one. */
  readonly grant: NetworkGrant | undefined;
  /** Bytes of the answer's body that are kept; the rest is not read. */
  readonly maxBytes: number;
  /** From the first look at the name to the end of the last answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface GuardedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body was longer than `maxBytes`. */
  readonly isCut: boolean;
  /** Where the answer came from. */
  readonly url: string;
  readonly redirects: number;
}

export interface NetworkPorts {
  readonly clock: Clock;
  readonly resolve: Resolver;
  /** Certificates to trust beside the usual ones, in PEM. */
  readonly ca?: string;
}

/**
 * Makes a request for a tool, within its grant: form and endpoint are judged, the name is resolved once, every address is judged, and the
 * connection goes to these addresses. Each redirect is judged so again. Refused before anything was sent is `not_started`; after bytes were
 * handed to a connection and no answer came it is `outcome_unknown`; any answer, a redirect that is not followed included, is `completed`.
 * Never sent twice. Errors: `network_*`, `grant_denied`; docs/reference/policy.md has the ranges.
 */
export async function guardedRequest(
  request: GuardedRequest,
  ports: NetworkPorts,
): Promise<Outcome<GuardedAnswer>> {
  const stop = new AbortController();
  let why: 'network_timeout' | 'network_cancelled' = 'network_cancelled';
  const cancel = () => stop.abort();
  const timer = ports.clock.setTimer(request.timeoutMs, () => {
    why = 'network_timeout';
    cancel();
  });
  request.signal?.addEventListener('abort', cancel, { once: true });
  if (request.signal?.aborted === true) cancel();
  try {
    return await new Journey(request, ports, stop.signal, () => why).run();
  } finally {
    timer.cancel();
    request.signal?.removeEventListener('abort', cancel);
  }
}

/** What is sent next. */
interface Leg {
  readonly url: string;
  readonly method: string;
  readonly headers: RequestHeaders;
  readonly body: Uint8Array | undefined;
}

/** A request and the redirects that follow from it. */
class Journey {
  readonly #request: GuardedRequest;
  readonly #ports: NetworkPorts;
  readonly #signal: AbortSignal;
  readonly #whyStopped: () => HostErrorCode;
  #redirects = 0;

  constructor(
    request: GuardedRequest,
    ports: NetworkPorts,
    signal: AbortSignal,
    whyStopped: () => HostErrorCode,
  ) {
    this.#request = request;
    this.#ports = ports;
    this.#signal = signal;
    this.#whyStopped = whyStopped;
  }

  async run(): Promise<Outcome<GuardedAnswer>> {
    const first = firstLeg(this.#request);
    if (typeof first === 'string') return this.#refused('network_request_invalid', first);
    let leg = first;
    for (;;) {
      const { answer, fault } = await this.#travel(leg);
      if (answer === undefined) return fault;
      const location = locationOf(answer.status, answer.headers);
      if (location === undefined) return completed(this.#told(answer, leg.url));
      const next = nextLeg(leg, answer.status, location);
      if (typeof next === 'string') return this.#redirectRefused(next);
      if (this.#redirects === networkLimits.redirects) return this.#redirectRefused('too many');
      this.#redirects += 1;
      leg = next;
    }
  }

  async #travel(
    leg: Leg,
  ): Promise<
    | { readonly answer: ExchangeAnswer; readonly fault?: never }
    | { readonly answer?: never; readonly fault: Outcome<never> }
  > {
    const { grant, maxBytes } = this.#request;
    const verdict = judgeUrl(leg.url, leg.method, grant);
    if (!verdict.ok) return { fault: this.#refused(verdict.code, verdict.reason) };
    const pins = await orStopped(pinAddresses(verdict.target.host, grant, this.#ports.resolve), this.#signal);
    if (pins === undefined) return { fault: this.#ended(false) };
    if (!pins.ok) return { fault: this.#refused(pins.code, pins.reason) };
    const { method, headers, body } = leg;
    const end = await exchange({
      target: verdict.target,
      addresses: pins.addresses,
      method,
      headers,
      body,
      maxBytes,
      signal: this.#signal,
      ca: this.#ports.ca,
      skipsBody: (status, answered) => locationOf(status, answered) !== undefined,
    });
    return end.kind === 'answer' ? { answer: end } : { fault: this.#ended(end.sent) };
  }

  /** Refused by this host. Once a redirect was followed, a server has answered, and what it did stands. */
  #refused(code: HostErrorCode, reason: string): Outcome<never> {
    return this.#redirects > 0
      ? this.#redirectRefused(reason === 'network' ? 'not granted' : reason)
      : failed('not_started', code, hostErrors[code].message, { reason });
  }

  #redirectRefused(reason: string): Outcome<never> {
    const { message } = hostErrors.network_redirect_refused;
    return failed('completed', 'network_redirect_refused', message, { reason });
  }

  #ended(sent: boolean): Outcome<never> {
    const isStopped = this.#signal.aborted;
    if (!sent && !isStopped && this.#redirects > 0) return this.#redirectRefused('unreachable');
    const lost = sent ? 'network_answer_broken' : 'network_unreachable';
    const code = isStopped ? this.#whyStopped() : lost;
    const before = this.#redirects > 0 ? 'completed' : 'not_started';
    return failed(sent ? 'outcome_unknown' : before, code, hostErrors[code].message);
  }

  #told({ status, headers, body, isCut }: ExchangeAnswer, url: string): GuardedAnswer {
    return { status, headers, body, isCut, url, redirects: this.#redirects };
  }
}

/** Undefined as soon as the signal aborts: a name that is being resolved cannot be called off. */
function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Methods that make a tunnel, or give back what was sent. */
const REFUSED_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

function firstLeg({ url, method: given = 'GET', headers: asked = {}, body }: GuardedRequest): Leg | string {
  const method = given.toUpperCase();
  if (!/^[A-Z]{1,32}$/.test(method) || REFUSED_METHODS.has(method)) return 'the method';
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) return 'a body with GET or HEAD';
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (bytes !== undefined && bytes.length > networkLimits.requestBytes) return 'the size of the body';
  if (Buffer.byteLength(url) > networkLimits.urlBytes) return 'the size of the address';
  const headers = checkedHeaders(asked);
  return headers === null ? 'a header' : { url, method, headers, body: bytes };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function locationOf(status: number, headers: IncomingHttpHeaders): string | undefined {
  return REDIRECTS.has(status) ? headers.location : undefined;
}

/** The request that a redirect asks for, by the rules of the Fetch standard; or why it is not made. */
function nextLeg(leg: Leg, status: number, location: string): Leg | string {
  if (!URL.canParse(location, leg.url)) return 'no address';
  const from = new URL(leg.url);
  const to = new URL(location, from);
  if (from.protocol === 'https:' && to.protocol === 'http:') return 'from https to http';
  if (Buffer.byteLength(to.href) > networkLimits.urlBytes) return 'the size of the address';
  const becomesGet =
    ((status === 301 || status === 302) && leg.method === 'POST') ||
    (status === 303 && leg.method !== 'GET' && leg.method !== 'HEAD');
  const headers = redirectedHeaders(leg.headers, {
    isSameOrigin: from.origin === to.origin,
    dropsBody: becomesGet,
  });
  return becomesGet
    ? { url: to.href, method: 'GET', headers, body: undefined }
    : { url: to.href, method: leg.method, headers, body: leg.body };
}
