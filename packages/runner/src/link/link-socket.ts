import type { Agent } from 'node:http';
import { linkLimits } from '@fairlead/protocol';
import { type RawData, WebSocket } from 'ws';

/** Where a Runner dials to. */
export type LinkTarget = {
  readonly url: string;
  /** The Runner token; a secret, sent in one header. */
  readonly token: string;
  /** From dialling to the open socket. */
  readonly timeoutMs: number;
};

/** What one socket tells its owner. `onClose` comes exactly once, and last. */
export type LinkSocketEvents = {
  readonly onOpen: () => void;
  readonly onFrame: (bytes: Uint8Array) => void;
  /** The gateway answered the handshake with an HTTP status instead of a socket. */
  readonly onRefused: (status: number) => void;
  readonly onClose: () => void;
};

/** One socket to a gateway, text frames only. */
export type LinkSocket = {
  /** `written` is called when the frame has left this process, or cannot. */
  send(text: string, written: () => void): void;
  /** Stops and resumes reading, so that what is not read holds the sender back. */
  pause(): void;
  resume(): void;
  /** Says good-bye properly. */
  close(): void;
  /** Ends it at once. */
  terminate(): void;
};

/** Dials a gateway. */
export type ConnectLink = (target: LinkTarget, events: LinkSocketEvents) => LinkSocket;

/** The link's address at a gateway: `http` becomes `ws`, `https` `wss`; a path in front stays. */
export function linkUrl(gatewayUrl: string): string {
  const url = new URL(gatewayUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/runner/link`;
  url.search = '';
  url.hash = '';
  return url.href;
}

/** Dials with a WebSocket of its own connection: no redirect, no compression, no proxy. */
export const connectLink: ConnectLink = (target, events) => dial(target, events);

/** The same through sockets that the agent opens, such as those of a proxy. */
export function connectLinkThrough(agent: Agent): ConnectLink {
  return (target, events) => dial(target, events, agent);
}

function dial(target: LinkTarget, events: LinkSocketEvents, agent?: Agent): LinkSocket {
  const socket = new WebSocket(target.url, {
    headers: { authorization: `Bearer ${target.token}` },
    followRedirects: false,
    handshakeTimeout: target.timeoutMs,
    maxPayload: linkLimits.frameMaxBytes,
    perMessageDeflate: false,
    ...(agent === undefined ? {} : { agent }),
  });
  socket.on('open', events.onOpen);
  socket.on('message', (data: RawData, isBinary: boolean) => {
    // One buffer per message is what this library gives unless asked otherwise.
    if (isBinary || !Buffer.isBuffer(data)) socket.close(UNSUPPORTED_DATA);
    else events.onFrame(data);
  });
  socket.on('unexpected-response', (_request, response) => {
    events.onRefused(response.statusCode ?? 0);
    socket.terminate();
  });
  // Every error is followed by a close.
  socket.on('error', () => {});
  socket.on('close', events.onClose);
  return {
    send: (text, written) => socket.send(text, written),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.close(NORMAL),
    terminate: () => socket.terminate(),
  };
}

const NORMAL = 1000;
const UNSUPPORTED_DATA = 1003;
