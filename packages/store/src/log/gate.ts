/**
 * Who may change a database now. Local writes enter side by side; what judges foreign commits or changes rights goes in
 * alone, so that nothing it has read moves before it has written. First come, first served.
 */
export class Gate {
  #inside = 0;
  #alone = false;
  #held = 0;
  readonly #waiting: { readonly alone: boolean; readonly enter: () => void }[] = [];

  /** Enters beside others. Undefined where that was possible at once; the caller leaves by `leave` in either case. */
  enter(): Promise<void> | undefined {
    if (this.#alone || this.#held > 0 || this.#waiting.length > 0) return this.#wait(false);
    this.#inside += 1;
    return undefined;
  }

  leave(): void {
    this.#inside -= 1;
    this.#admit();
  }

  /** Enters when everybody is out, and keeps them out until `leaveAlone`. */
  enterAlone(): Promise<void> | undefined {
    if (this.#alone || this.#inside > 0 || this.#waiting.length > 0) {
      const entered = this.#wait(true);
      this.#admit();
      return entered;
    }
    this.#alone = true;
    return undefined;
  }

  leaveAlone(): void {
    this.#alone = false;
    this.#admit();
  }

  /** Nobody is inside, waits, or keeps local writes waiting. */
  get isIdle(): boolean {
    return !this.#alone && this.#inside === 0 && this.#held === 0 && this.#waiting.length === 0;
  }

  /** Somebody keeps local writes waiting. */
  get isHeld(): boolean {
    return this.#held > 0;
  }

  /** Runs `work` alone. */
  async alone<R>(work: () => Promise<R>): Promise<R> {
    await this.enterAlone();
    try {
      return await work();
    } finally {
      this.leaveAlone();
    }
  }

  /** Keeps local writes waiting, but nothing else, until the answer is called. */
  hold(): () => void {
    this.#held += 1;
    let holds = true;
    return () => {
      if (!holds) return;
      holds = false;
      this.#held -= 1;
      this.#admit();
    };
  }

  #wait(alone: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ alone, enter: resolve });
    });
  }

  #admit(): void {
    for (let index = 0; index < this.#waiting.length && !this.#alone; ) {
      const next = this.#waiting[index];
      if (next === undefined) return;
      if (next.alone ? this.#inside > 0 : this.#held > 0) {
        // A held write lets those behind it that go in alone pass; a lone one lets nobody pass.
        if (next.alone) return;
        index += 1;
        continue;
      }
      this.#waiting.splice(index, 1);
      if (next.alone) this.#alone = true;
      else this.#inside += 1;
      next.enter();
    }
  }
}
