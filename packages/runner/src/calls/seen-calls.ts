import { limits } from '../limits.ts';

/**
 * Which call ids this process has ever had, in a fixed amount of memory: a Bloom filter. It never denies an id that was added; of
 * one that was not it may say that it cannot rule it out, at first next to never, more often after a million calls.
 */
export class SeenCalls {
  readonly #bits = new Uint32Array(limits.seenCallsBits / 32);

  add(call: string): void {
    this.#visit(call, (word, bit) => {
      this.#bits[word] = this.#at(word) | bit;
      return true;
    });
  }

  /** False only for an id that was never added. */
  mayHave(call: string): boolean {
    return this.#visit(call, (word, bit) => (this.#at(word) & bit) !== 0);
  }

  #at(word: number): number {
    return this.#bits[word] as number;
  }

  /** Steps through the places of an id while `visitor` says so; true when it has seen them all. */
  #visit(call: string, visitor: (word: number, bit: number) => boolean): boolean {
    const mask = limits.seenCallsBits - 1;
    // Two sums of the same text, from two beginnings, stand for any number of them.
    let place = sum(call, 0x811c9dc5);
    const step = sum(call, 0x01000193) | 1;
    for (let probe = 0; probe < limits.seenCallsProbes; probe += 1) {
      const index = place & mask;
      if (!visitor(index >>> 5, 1 << (index & 31))) return false;
      place = (place + step) | 0;
    }
    return true;
  }
}

function sum(text: string, beginning: number): number {
  let hash = beginning;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  // The low bits, which choose the place, then depend on every bit of it.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
