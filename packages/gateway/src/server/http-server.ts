import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { JSON_TYPE } from '../http/answer.ts';
import { type Envelope, refusalEnvelope } from '../http/envelope.ts';
import { writeRawAnswer } from '../http/raw-answer.ts';
import { httpLimits } from '../limits.ts';
import type { LinkEndpoint } from '../link/link-endpoint.ts';

/** Times that only tests change. */
export type HttpTimes = {
  readonly headersMs: number;
  readonly receiveMs: number;
  readonly slowCheckMs: number;
  readonly idleMarginMs: number;
};

/**
 * Node's server with this gateway's limits: slow headers and bodies are cut off, sockets are counted, only the Runner link
 * is upgraded, and what is not HTTP gets an envelope too.
 */
export function createHttpServer(
  listener: RequestListener,
  options: {
    /** Sockets that anybody may have. */
    readonly connections: number;
    readonly requestMs: number;
    readonly link: LinkEndpoint;
    readonly times?: HttpTimes;
  },
): Server {
  const times = options.times ?? httpLimits;
  const server = createServer(
    {
      headersTimeout: times.headersMs,
      requestTimeout: times.receiveMs,
      connectionsCheckingInterval: times.slowCheckMs,
      keepAliveTimeout: httpLimits.keepAliveMs,
      maxHeaderSize: httpLimits.headerBytes,
      noDelay: true,
      shouldUpgradeCallback: (request: IncomingMessage) => options.link.wants(request),
    },
    listener,
  );
  server.maxConnections = options.connections + httpLimits.ownConnections;
  // A client that never reads its answer holds a socket and the answer; the longest call is quiet for less than this.
  server.timeout = options.requestMs + times.idleMarginMs;
  server.maxRequestsPerSocket = httpLimits.requestsPerSocket;
  server.on('upgrade', (request, socket, head) => options.link.upgrade(request, socket, head));
  server.on('connect', (_request, socket) => writeRawAnswer(socket, refusalEnvelope('method_not_allowed')));
  server.on('checkExpectation', (_request, response) => {
    const body = JSON.stringify(refusalEnvelope('malformed_request'));
    const headers = {
      'content-type': JSON_TYPE,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    };
    response.writeHead(417, headers).end(body);
  });
  server.on('clientError', answerClientError);
  return server;
}

/**
 * Answers what Node could not read as a request. Where an earlier request of the socket still runs, or is being answered,
 * the socket is only closed: the client would take this answer for that of the earlier one.
 */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { _httpMessage: current } = socket as { _httpMessage?: ServerResponse | null };
  const isTaken = current !== undefined && current !== null && (current.headersSent || current.req.complete);
  if (error.code === 'ECONNRESET' || isTaken) socket.destroy();
  else writeRawAnswer(socket, clientErrorEnvelope(error.code));
}

function clientErrorEnvelope(code: string | undefined): Envelope {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusalEnvelope('request_incomplete');
    case 'HPE_HEADER_OVERFLOW':
      return refusalEnvelope('headers_too_large');
    default:
      return refusalEnvelope('malformed_request');
  }
}
