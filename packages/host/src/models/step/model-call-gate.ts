/** The cap on model calls of the whole host at one time. Who waits is served in order; it is never held while a tool runs. */
export class ModelCallGate {
  readonly #waiting = new Set<() => void>();
  #free: number;

  /** `calls`: how many at one time, at least 1. */
  constructor(calls: number) {
    this.#free = calls;
  }

  /** True where the next call would wait. */
  get isFull(): boolean {
    return this.#free === 0;
  }

  /** Calls that wait for their turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves with what gives the place back, once; null where `signal` aborted first. */
  async enter(signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#turn(signal))) return null;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#leave();
    };
  }

  #turn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (entered: boolean) => {
        this.#waiting.delete(enter);
        signal.removeEventListener('abort', abort);
        resolve(entered);
      };
      const enter = () => settle(true);
      const abort = () => settle(false);
      this.#waiting.add(enter);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next();
  }
}
