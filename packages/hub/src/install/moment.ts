/**
 * Something that comes once, such as the end of a hub. A promise of it would keep everybody who ever raced against it, and what they
 * raced with, for as long as it does not come; who waits here lets go.
 */
export class Moment {
  #hasCome = false;
  readonly #waiting = new Set<() => void>();

  get hasCome(): boolean {
    return this.#hasCome;
  }

  come(): void {
    this.#hasCome = true;
    for (const told of this.#waiting) told();
    this.#waiting.clear();
  }

  /** Calls `told` when it comes, at once where it has. Gives what lets go: afterwards nothing is kept. */
  tell(told: () => void): () => void {
    if (this.#hasCome) {
      told();
      return () => {};
    }
    const own = () => told();
    this.#waiting.add(own);
    return () => void this.#waiting.delete(own);
  }

  /** Settles with what `work` does, or as soon as it comes. */
  async before(work: Promise<void>): Promise<void> {
    const come = Promise.withResolvers<void>();
    const letGo = this.tell(come.resolve);
    try {
      await Promise.race([work, come.promise]);
    } finally {
      letGo();
    }
  }

  /** How many wait for it. */
  get waiting(): number {
    return this.#waiting.size;
  }
}
