import type { WebSocket } from 'ws';

/** What a connection needs of its WebSocket. */
export type LinkSocket = {
  readonly isOpen: boolean;
  /** Bytes given to `send` and not yet written out. */
  readonly bufferedBytes: number;
  /** `written` is called once, when the frame has left the process or never will. */
  send(text: string, written: () => void): void;
  /** Closes with a status code of RFC 6455 and a reason of at most 123 bytes. */
  close(status: number, reason: string): void;
  /** Drops the socket without a word. */
  terminate(): void;
};

/** The socket of the `ws` package. */
export function linkSocket(webSocket: WebSocket): LinkSocket {
  return {
    get isOpen() {
      return webSocket.readyState === webSocket.OPEN;
    },
    get bufferedBytes() {
      return webSocket.bufferedAmount;
    },
    send: (text, written) => webSocket.send(text, written),
    close: (status, reason) => webSocket.close(status, reason),
    terminate: () => webSocket.terminate(),
  };
}
