import { connect } from 'node:net';
import { type Clock, encodeJson } from '@fairlead/base';
import { mcpLimits } from '../limits.ts';
import { LoopbackSocket } from './loopback-socket.ts';
import type { Post, Poster, PostReply } from './post.ts';

/**
 * Posts to a gateway on this machine, over bare sockets: Node's own client costs more than everything else that a call over
 * stdio takes. It reads what a gateway writes (HTTP/1.1, one Content-Length) and takes anything else for a lost answer.
 */
export class LoopbackClient implements Poster {
  readonly #clock: Clock;
  readonly #host: string;
  readonly #port: number;
  readonly #idle: LoopbackSocket[] = [];
  readonly #open = new Set<LoopbackSocket>();

  constructor(clock: Clock, address: { readonly host: string; readonly port: number }) {
    this.#clock = clock;
    this.#host = address.host;
    this.#port = address.port;
  }

  post(wanted: Post): Promise<PostReply> {
    const { path, accept, token, timeoutMs, signal } = wanted;
    const body = encodeJson(wanted.body);
    const head = [
      `POST ${path} HTTP/1.1`,
      `host: ${this.#host}:${this.#port}`,
      `accept: ${accept}`,
      `authorization: Bearer ${token}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    const socket = this.#idle.pop() ?? this.#connect();
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(timeoutMs, () =>
        socket.break(`no answer within ${Math.ceil(timeoutMs / 1000)} s`),
      );
      const hangUp = () => socket.break('it was cancelled');
      signal?.addEventListener('abort', hangUp, { once: true });
      socket.send(`${head.join('\r\n')}\r\n\r\n${body}`, (reply) => {
        timer.cancel();
        signal?.removeEventListener('abort', hangUp);
        resolve(reply);
      });
      if (signal?.aborted === true) hangUp();
    });
  }

  [Symbol.dispose](): void {
    for (const socket of this.#open) socket.break('the command has ended');
  }

  #connect(): LoopbackSocket {
    const socket = new LoopbackSocket(connect(this.#port, this.#host), {
      free: () => {
        if (this.#idle.length < mcpLimits.idleSockets) this.#idle.push(socket);
        else socket.break('not needed');
      },
      closed: () => {
        this.#open.delete(socket);
        const at = this.#idle.indexOf(socket);
        if (at >= 0) this.#idle.splice(at, 1);
      },
    });
    this.#open.add(socket);
    return socket;
  }
}
