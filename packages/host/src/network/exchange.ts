import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { networkLimits } from '../limits.ts';
import type { Target } from './judge-url.ts';
import type { RequestHeaders } from './request-headers.ts';

export interface ExchangeRequest {
  readonly target: Target;
  /** Judged already; nothing else is connected to. */
  readonly addresses: readonly string[];
  readonly method: string;
  readonly headers: RequestHeaders;
  readonly body: Uint8Array | undefined;
  /** What is kept of the body of the answer. */
  readonly maxBytes: number;
  /** Ends the exchange. */
  readonly signal: AbortSignal;
  /** Certificates to trust beside the usual ones. */
  readonly ca?: string | undefined;
  /** True where the body of such an answer is of no use. */
  readonly skipsBody: (status: number, headers: IncomingHttpHeaders) => boolean;
}

export interface ExchangeAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** There was more. */
  readonly isCut: boolean;
}

/** `sent` is true once a byte of the request may have left: the connection stood, its certificate was accepted. */
export type ExchangeEnd = ExchangeAnswer | { readonly kind: 'broken'; readonly sent: boolean };

/**
 * One request and its answer on a connection of its own, made to the addresses given. Host header and the name in TLS stay the host's
 * own. Never rejects.
 */
export function exchange(given: ExchangeRequest): Promise<ExchangeEnd> {
  const { target, method, headers, body, signal } = given;
  const { url, host } = target;
  const isSecure = url.protocol === 'https:';
  return new Promise((resolve) => {
    let sent = false;
    let isOver = false;
    const end = (how: ExchangeEnd) => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener('abort', broken);
      // What a destroyed connection still says has been decided.
      request.on('error', ignore);
      request.destroy();
      resolve(how);
    };
    const broken = () => end({ kind: 'broken', sent });
    const request = (isSecure ? secureRequest : plainRequest)({
      protocol: url.protocol,
      hostname: host,
      port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
      path: url.pathname + url.search,
      method,
      headers: {
        accept: '*/*',
        'user-agent': 'fairlead',
        ...headers,
        'accept-encoding': 'identity',
        // Node says no length for a DELETE, and its body would be read as the next request.
        ...(body === undefined ? {} : { 'content-length': String(body.length) }),
      },
      agent: false,
      ...DIALLING,
      lookup: pinned(given.addresses),
      maxHeaderSize: networkLimits.answerHeaderBytes,
      ...(given.ca === undefined ? {} : { ca: given.ca }),
    });
    request.once('socket', (socket: Socket) => {
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        sent = true;
      });
    });
    request.once('error', broken);
    request.once('upgrade', broken);
    request.once('response', (response) => read(response, given, end));
    signal.addEventListener('abort', broken, { once: true });
    if (signal.aborted) broken();
    else request.end(body);
  });
}

/** The connection asks `lookup` for all addresses and tries them in turn; the types of Node's requests do not know it yet. */
const DIALLING = Object.freeze({ autoSelectFamily: true });

function ignore(): void {}

/** Answers with the addresses that were judged, whatever is asked. */
function pinned(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, _options, answer) => answer(null, entries);
}

function read(response: IncomingMessage, given: ExchangeRequest, end: (how: ExchangeEnd) => void): void {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let kept = 0;
  const answer = (isCut: boolean) =>
    end({ kind: 'answer', status, headers, body: Buffer.concat(chunks, kept), isCut });
  response.on('error', ignore);
  if (given.skipsBody(status, headers)) {
    answer(false);
    return;
  }
  response.on('data', (chunk: Buffer) => {
    const room = given.maxBytes - kept;
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    kept += Math.min(chunk.length, room);
    if (chunk.length > room) answer(true);
  });
  response.once('close', () => {
    if (response.complete) answer(false);
    else end({ kind: 'broken', sent: true });
  });
}
