import { MAX_UNREAD_FRAMES } from '../limits.ts';

/** Messages between a source that is called back and a reader that iterates. Tells the source when to stop and to go on. */
export class MessageQueue implements AsyncIterable<Uint8Array> {
  readonly #unread: Uint8Array[] = [];
  readonly #onRoom: (hasRoom: boolean) => void;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(onRoom: (hasRoom: boolean) => void = () => undefined) {
    this.#onRoom = onRoom;
  }

  push(message: Uint8Array): void {
    if (this.#ended) return;
    this.#unread.push(message);
    if (this.#unread.length === MAX_UNREAD_FRAMES) this.#onRoom(false);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    for (;;) {
      const next = this.#unread.shift();
      if (next !== undefined) {
        if (this.#unread.length === MAX_UNREAD_FRAMES - 1) this.#onRoom(true);
        yield next;
      } else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }
}
