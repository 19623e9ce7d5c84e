import type { Trigger } from './plan.ts';

/** What has happened to the calls of a round, and who waits for it. */
export class RoundEvents {
  readonly #seen = new Set<string>();
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Everything so far, in order. */
  readonly trace: string[] = [];
  #movedMs = performance.now();

  constructor() {
    this.happened({ on: 'begin', call: 0 });
  }

  /** When something happened last. */
  get movedMs(): number {
    return this.#movedMs;
  }

  happened(trigger: Trigger): void {
    const key = keyOf(trigger);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#movedMs = performance.now();
    for (const wake of this.#waiting.get(key) ?? []) wake();
    this.#waiting.delete(key);
  }

  /** Notes what the adversary did. */
  note(line: string): void {
    this.#movedMs = performance.now();
    this.trace.push(line);
  }

  /** Resolves when it has happened, at once where it has already; with false when `signal` aborts first. */
  until(trigger: Trigger, signal: AbortSignal): Promise<boolean> {
    const key = keyOf(trigger);
    if (this.#seen.has(key)) return Promise.resolve(true);
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const gaveUp = () => resolve(false);
      signal.addEventListener('abort', gaveUp, { once: true });
      const wake = () => {
        signal.removeEventListener('abort', gaveUp);
        resolve(true);
      };
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), wake]);
    });
  }
}

function keyOf({ on, call }: Trigger): string {
  return on === 'begin' ? on : `${on} ${call}`;
}
