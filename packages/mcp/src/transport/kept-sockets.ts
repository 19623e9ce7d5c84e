import { type ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { wireLimits } from '../limits.ts';

const KEPT = Object.freeze({ keepAlive: true, maxSockets: wireLimits.sockets, maxFreeSockets: 4 });

/**
 * The sockets of one connection, and which of them are open. Neither a request nor its socket tells that: one that waits while all are taken is given
 * another's, open for long, and Node calls it reused only where it lay idle in between.
 */
export class KeptSockets implements Disposable {
  readonly #open = new WeakSet<Duplex>();
  readonly #agents = {
    'http:': this.#watched(briefly(new HttpAgent(KEPT))),
    'https:': this.#watched(briefly(new HttpsAgent(KEPT))),
  };

  /** Gives requests their sockets. */
  agent(isHttps: boolean): HttpAgent {
    return this.#agents[isHttps ? 'https:' : 'http:'];
  }

  /**
   * Calls `opened` before the first byte goes out over this socket, at once where bytes do: when it is connected, over TLS when its peer is known.
   * Before that nothing can have arrived.
   */
  whenOpen(socket: Socket, opened: () => void): void {
    if (this.#open.has(socket)) opened();
    else socket.once(opening(socket), opened);
  }

  [Symbol.dispose](): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** From the first moment on: a socket may open when the request that it was made for is gone. */
  #watched<Agent extends HttpAgent>(agent: Agent): Agent {
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (options, made) => {
      const socket = connect(options, made);
      socket?.once(opening(socket), () => this.#open.add(socket));
      return socket;
    };
    return agent;
  }
}

function opening(socket: Duplex): 'connect' | 'secureConnect' {
  return socket instanceof TLSSocket ? 'secureConnect' : 'connect';
}

/** A socket that nobody uses is closed before servers close it: else a request may meet its end, and nobody knows whether it arrived. */
function briefly<Agent extends HttpAgent>(agent: Agent): Agent {
  const idle = agent as unknown as {
    keepSocketAlive(socket: Socket): boolean;
    reuseSocket(socket: Socket, request: ClientRequest): void;
  };
  const keep = idle.keepSocketAlive.bind(agent);
  const reuse = idle.reuseSocket.bind(agent);
  idle.keepSocketAlive = (socket) => {
    const kept = keep(socket);
    if (kept) socket.setTimeout(wireLimits.idleSocketMs);
    return kept;
  };
  idle.reuseSocket = (socket, request) => {
    socket.setTimeout(0);
    reuse(socket, request);
  };
  return agent;
}
