import type { Socket } from 'node:net';
import { isOwnMachine } from '../http/own-machine.ts';

/** The sockets of a gateway: who may have one, and whether they are scarce. */
export class OpenSockets {
  readonly #most: number;
  readonly #open = new Set<Socket>();

  /** `most`: sockets that anybody may have. The server takes some more, and they are for this machine itself. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes one that was accepted; where it has no place it is destroyed. */
  take(socket: Socket): void {
    if (this.#open.size >= this.#most && !isOwnMachine(socket)) {
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }

  /** True where more than half are taken: then who shows no token keeps none. */
  get areScarce(): boolean {
    return this.#open.size > this.#most / 2;
  }

  /** Ends each of them after what was written on it. */
  end(): void {
    for (const socket of this.#open) socket.end();
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
