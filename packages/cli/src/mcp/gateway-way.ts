import type { GatewayAddress } from '../client/find-gateway.ts';
import type { Post, Poster, PostReply } from './post.ts';

/**
 * The way to one gateway with one token. Once it is left nothing more goes over it, and its sockets are closed when the last
 * request that runs on it has ended.
 */
export class GatewayWay implements Disposable {
  readonly #address: GatewayAddress;
  readonly #poster: Poster;
  #running = 0;
  #isLeft = false;

  constructor(address: GatewayAddress, poster: Poster) {
    this.#address = address;
    this.#poster = poster;
  }

  leadsTo({ serverUrl, token }: GatewayAddress): boolean {
    return serverUrl === this.#address.serverUrl && token === this.#address.token;
  }

  async post(wanted: Omit<Post, 'token'>): Promise<PostReply> {
    this.#running += 1;
    try {
      return await this.#poster.post({ ...wanted, token: this.#address.token });
    } finally {
      this.#running -= 1;
      if (this.#isLeft && this.#running === 0) this[Symbol.dispose]();
    }
  }

  /** Another one stands in its place. */
  leave(): void {
    this.#isLeft = true;
    if (this.#running === 0) this[Symbol.dispose]();
  }

  /** At once; what runs is told that its answer is lost. */
  [Symbol.dispose](): void {
    this.#poster[Symbol.dispose]();
  }
}
