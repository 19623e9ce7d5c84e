import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { Readable, Transform } from 'node:stream';
import { wireLimits } from '../limits.ts';
import { type CallEvidence, sending } from './call-evidence.ts';
import { KeptSockets } from './kept-sockets.ts';

/**
 * The requests of one connection. It keeps sockets for a short while, follows no redirect, and notes of each call what was handed over. A server that
 * makes the host send more and more and takes none of it is `unread`.
 */
export class WireFetch implements Disposable {
  readonly #unread: () => void;
  /** What is under way for no call. */
  readonly #waiting = { requests: 0, bytes: 0 };
  readonly #sockets = new KeptSockets();

  constructor(unread: () => void) {
    this.#unread = unread;
  }

  /** As `fetch`, for what the official client asks of it. */
  readonly fetch = (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input);
    const evidence = callThatBegins();
    const isHttps = url.protocol === 'https:';
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const signal = init.signal ?? undefined;
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    if (evidence?.isOver === true) return Promise.reject(new Error('the call is over'));
    const body = typeof init.body === 'string' ? Buffer.from(init.body) : undefined;
    const headers = Object.fromEntries(new Headers(init.headers));
    if (body !== undefined) headers['content-length'] = String(body.length);
    const taken = evidence === undefined ? this.#wait(body?.length ?? 0) : NOTHING_WAITS;
    if (taken === undefined) return Promise.reject(new Error('the server takes nothing'));
    const request = (isHttps ? httpsRequest : httpRequest)(url, {
      method: init.method ?? 'GET',
      headers,
      agent: this.#sockets.agent(isHttps),
      ...(signal === undefined ? {} : { signal }),
    });
    this.#noteHandedOver(request, evidence);
    evidence?.takenBackBy(() => request.destroy());
    request.on('error', reject);
    request.once('close', taken);
    request.once('response', (incoming) => {
      taken();
      if (evidence !== undefined) {
        // It proves by itself that something was sent.
        evidence.handed = true;
        evidence.status = incoming.statusCode;
      }
      answer(incoming, evidence).then(resolve, reject);
    });
    request.end(body);
    return promise;
  };

  /** Undefined where more waits than may; else what is called when it was taken, once or twice. */
  #wait(bytes: number): (() => void) | undefined {
    const waiting = this.#waiting;
    if (waiting.requests >= wireLimits.unreadRequests || waiting.bytes + bytes > wireLimits.unreadBytes) {
      this.#unread();
      return undefined;
    }
    waiting.requests += 1;
    waiting.bytes += bytes;
    let isTaken = false;
    return () => {
      if (isTaken) return;
      isTaken = true;
      waiting.requests -= 1;
      waiting.bytes -= bytes;
    };
  }

  #noteHandedOver(request: ClientRequest, evidence: CallEvidence | undefined): void {
    request.once('socket', (socket: Socket) => {
      const late = () => request.destroy(new Error('no connection within 15 s'));
      socket.setTimeout(wireLimits.connectMs);
      socket.once('timeout', late);
      this.#sockets.whenOpen(socket, () => {
        socket.removeListener('timeout', late);
        socket.setTimeout(0);
        if (evidence !== undefined) evidence.handed = true;
      });
    });
  }

  [Symbol.dispose](): void {
    this.#sockets[Symbol.dispose]();
  }
}

function NOTHING_WAITS(): void {}

/** The call whose request this is. Answers to what its server asks meanwhile are sent from the same context. */
function callThatBegins(): CallEvidence | undefined {
  const evidence = sending.getStore();
  if (evidence === undefined || evidence.begun) return undefined;
  evidence.begun = true;
  return evidence;
}

async function answer(incoming: IncomingMessage, evidence: CallEvidence | undefined): Promise<Response> {
  const { statusCode: status = 0, statusMessage: statusText = '' } = incoming;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const about = { status, statusText, headers };
  if (status === 204 || status === 205 || status === 304) {
    incoming.resume();
    return new Response(null, about);
  }
  if (status < 200 || status > 599) {
    incoming.destroy();
    throw new Error(`HTTP status ${status}`);
  }
  if (status >= 400) {
    const body = await readWhole(incoming);
    if (evidence !== undefined && body !== undefined) evidence.refusal = { status, body };
    return new Response(body ?? '', about);
  }
  const bounded = incoming.pipe(withinBounds(headers.get('content-type') ?? ''));
  incoming.once('error', (error) => bounded.destroy(error));
  incoming.once('close', () => {
    // A connection that breaks in the middle of an answer is no end of it.
    if (!incoming.complete) bounded.destroy(new Error('the connection broke'));
  });
  return new Response(Readable.toWeb(bounded) as ReadableStream<Uint8Array>, about);
}

/** Undefined where it breaks off or is larger than a refusal may be. */
async function readWhole(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > wireLimits.refusalBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return incoming.complete ? Buffer.concat(chunks).toString('utf8') : undefined;
}

/** Ends an answer that is larger than a message may be; of a stream of events, one event that is. */
function withinBounds(type: string): Transform {
  const isStream = type.startsWith('text/event-stream');
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const gap = isStream ? Math.max(chunk.lastIndexOf('\n\n'), chunk.lastIndexOf('\r\n\r\n')) : -1;
      bytes = gap < 0 ? bytes + chunk.length : chunk.length - gap;
      if (bytes > wireLimits.messageBytes) done(new Error('an answer is larger than can be taken'));
      else done(null, chunk);
    },
  });
}
