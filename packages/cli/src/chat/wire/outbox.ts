import { isJsonObject, type Random, randomId } from '@fairlead/base';
import { word } from '../model/block.ts';
import { type HostDoor, isAway } from './host-door.ts';

/** What became of a message. `isHeard`: an agent answers it. */
export type Posted =
  | { readonly kind: 'posted'; readonly entry: string; readonly isHeard: boolean }
  | { readonly kind: 'refused'; readonly error: unknown }
  /** Nobody waits for it any more; whether the host has it is not known. */
  | { readonly kind: 'given_up' };

/**
 * Messages on their way to a session, one after the other. Each keeps its key until the host has answered, whoever the host is by then: one whose answer was
 * lost is sent again and is the same message.
 */
export class Outbox {
  readonly #door: HostDoor;
  readonly #random: Random;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor({ door, random }: { readonly door: HostDoor; readonly random: Random }) {
    this.#door = door;
    this.#random = random;
  }

  /** Sends a message once those before it have arrived. `untilLive` resolves when asking again is worth it. */
  post(session: string, text: string, untilLive: () => Promise<void>): Promise<Posted> {
    const key = randomId('chat_', this.#random);
    const posted = this.#last.then(() => this.#deliver(session, { text, key }, untilLive));
    this.#last = posted;
    return posted;
  }

  /** Nothing is sent again. */
  close(): void {
    this.#isClosed = true;
  }

  async #deliver(
    session: string,
    body: { readonly text: string; readonly key: string },
    untilLive: () => Promise<void>,
  ): Promise<Posted> {
    while (!this.#isClosed) {
      try {
        const answer = await this.#door.ask({
          method: 'POST',
          path: `/api/sessions/${session}/entries`,
          body,
        });
        const { id, woken } = isJsonObject(answer) ? answer : {};
        return { kind: 'posted', entry: word(id), isHeard: Array.isArray(woken) && woken.length > 0 };
      } catch (error) {
        if (!isAway(error)) return { kind: 'refused', error };
        await untilLive();
      }
    }
    return { kind: 'given_up' };
  }
}
