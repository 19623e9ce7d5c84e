import { shellLimits } from '../../limits.ts';

/** Remembers what was said, so that it is said once; the oldest is forgotten where there is too much. */
export class SaidOnce {
  readonly #said = new Set<string>();

  first(words: string): boolean {
    if (this.#said.has(words)) return false;
    this.#said.add(words);
    for (const oldest of this.#said) {
      if (this.#said.size <= shellLimits.saidMax) break;
      this.#said.delete(oldest);
    }
    return true;
  }
}
