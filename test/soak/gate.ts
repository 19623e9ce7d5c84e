/** Lets work go on side by side, and some of it alone: that waits for what goes on, and what comes meanwhile waits for it. */
export class Gate {
  #inside = 0;
  #alone: Promise<void> | undefined;
  #emptied: (() => void) | undefined;

  async beside(work: () => Promise<void>): Promise<void> {
    while (this.#alone !== undefined) await this.#alone;
    this.#inside += 1;
    try {
      await work();
    } finally {
      this.#inside -= 1;
      if (this.#inside === 0) this.#emptied?.();
    }
  }

  async alone(work: () => Promise<void>): Promise<void> {
    while (this.#alone !== undefined) await this.#alone;
    const over = Promise.withResolvers<void>();
    this.#alone = over.promise;
    try {
      if (this.#inside > 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#emptied = resolve;
        await promise;
        this.#emptied = undefined;
      }
      await work();
    } finally {
      this.#alone = undefined;
      over.resolve();
    }
  }
}
