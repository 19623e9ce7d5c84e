import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { linkLimits } from '@fairlead/protocol';
import { type RawData, type ServerOptions, WebSocketServer } from 'ws';
import { bearerToken } from '../auth/bearer.ts';
import type { RefusalReason, Tokens } from '../auth/tokens.ts';
import type { GatewayErrorCode } from '../errors.ts';
import type { ClientAddress } from '../http/client-address.ts';
import { refusalEnvelope } from '../http/envelope.ts';
import { writeRawAnswer } from '../http/raw-answer.ts';
import type { Guard } from '../http/request-guard.ts';
import { unauthorizedExtras } from '../http/unauthorized.ts';
import type { Log } from '../log/log.ts';
import { linkSocket } from './link-socket.ts';
import type { RunnerHub } from './runner-hub.ts';

/** Where Runners dial in. */
export const LINK_PATH = '/api/runner/link';

/** The upgrade of the Runner link, on the gateway's own HTTP server. */
export type LinkEndpoint = {
  /** True for the requests that are to be upgraded; any other goes on as plain HTTP, whatever it offers to become. */
  wants(request: IncomingMessage): boolean;
  /** Takes the socket of such a request: it becomes a Runner's link, or is refused with an envelope. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
};

export function createLinkEndpoint(options: {
  readonly hub: RunnerHub;
  readonly tokens: Pick<Tokens, 'authenticateRunner'>;
  readonly guard: Guard;
  readonly clientAddress: ClientAddress;
  readonly log: Log;
}): LinkEndpoint {
  const { hub, tokens, guard, log } = options;
  const server = new WebSocketServer(socketOptions);
  server.on('wsClientError', (_error, socket) =>
    writeRawAnswer(socket, refusalEnvelope('malformed_request')),
  );

  const refuse = (
    request: IncomingMessage,
    socket: Duplex,
    code: GatewayErrorCode,
    reason?: RefusalReason,
  ) => {
    log('warn', 'link.refused', { code, reason, client: options.clientAddress(request) });
    writeRawAnswer(
      socket,
      refusalEnvelope(code, reason === undefined ? {} : unauthorizedExtras(reason, 'runner')),
    );
  };

  return {
    wants: (request) =>
      request.method === 'GET' &&
      request.headers.upgrade?.toLowerCase() === 'websocket' &&
      request.url?.split('?')[0] === LINK_PATH,
    upgrade(request, socket, head) {
      // A socket that breaks before it is a WebSocket has no other listener.
      socket.on('error', ignore);
      const refusal = guard(request);
      if (refusal !== null) return refuse(request, socket, refusal);
      const authentication = tokens.authenticateRunner(bearerToken(request.headers.authorization));
      if (!authentication.ok) return refuse(request, socket, 'unauthorized', authentication.reason);
      if (!hub.hasRoom(authentication.claim.tokenId)) return refuse(request, socket, 'runner_limit_reached');
      server.handleUpgrade(request, socket, head, (webSocket) => {
        socket.removeListener('error', ignore);
        const connection = hub.attach(linkSocket(webSocket), authentication.claim);
        webSocket.on('message', (data: RawData, isBinary: boolean) =>
          connection.receive(data as Buffer, isBinary),
        );
        webSocket.on('close', () => connection.closed());
        webSocket.on('error', (error) => {
          log('warn', 'link.broken', { runner: authentication.claim.runner, reason: error.message });
          // The peer broke the framing, so nothing more is read; the closing handshake must not hold its id.
          connection.closed();
        });
      });
    },
  };
}

/** `closeTimeout` is not in the types yet: a peer that does not answer a close is dropped after this. */
const socketOptions: ServerOptions & { readonly closeTimeout: number } = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: linkLimits.frameMaxBytes,
  // The frame parser checks UTF-8 itself and answers with a code of its own.
  skipUTF8Validation: true,
  closeTimeout: 2_000,
};

function ignore(): void {
  // Nothing to do: `close` follows.
}
