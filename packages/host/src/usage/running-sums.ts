import { usageLimits } from '../limits.ts';
import type { Amount } from './ceilings.ts';
import type { SumKey } from './usage-rows.ts';

/** One sum: what its rows say, and what is reserved on top. */
export class RunningSum {
  #used: Amount;
  #reserved: Amount = { tokens: 0, nanousd: 0 };
  /** Reservations and corrections that are not on disk yet: it must not be read again before they are. */
  #busy = 0;

  constructor(used: Amount) {
    this.#used = used;
  }

  get busy(): boolean {
    return this.#busy > 0;
  }

  /** Used and reserved. */
  get total(): Amount {
    return plus(this.#used, this.#reserved);
  }

  reserve(amount: Amount): void {
    this.#busy += 1;
    this.#reserved = plus(this.#reserved, amount);
  }

  /** Puts what was used in the place of what was reserved. */
  settle(reserved: Amount, used: Amount): void {
    this.#reserved = minus(this.#reserved, reserved);
    this.#used = plus(this.#used, used);
  }

  /** What the reservation became is on disk. */
  release(): void {
    this.#busy -= 1;
  }
}

/** The sums that are in use, read from the rows when first wanted. Idle ones give way, the least recently used first. */
export class RunningSums {
  readonly #read: (key: SumKey) => Promise<Amount>;
  readonly #sums = new Map<string, RunningSum>();
  readonly #reading = new Map<string, Promise<RunningSum>>();
  readonly #max: number;

  constructor(read: (key: SumKey) => Promise<Amount>, max: number = usageLimits.sums) {
    this.#read = read;
    this.#max = max;
  }

  /** Sums in memory. */
  get size(): number {
    return this.#sums.size;
  }

  /**
   * The sums of the keys, in their order, all of them in memory at the moment that `use` runs; what it returns. Nothing gives way between the
   * reading and `use`, so that a sum is never held by somebody and read anew by somebody else.
   */
  async with<T>(keys: readonly SumKey[], use: (sums: readonly RunningSum[]) => T): Promise<T> {
    for (;;) {
      await Promise.all(keys.map((key) => this.#load(key)));
      const sums = keys.map((key) => this.#sums.get(nameOf(key)));
      if (!sums.every((sum) => sum !== undefined)) continue;
      const result = use(sums);
      this.#makeRoom();
      return result;
    }
  }

  #load(key: SumKey): Promise<RunningSum> | RunningSum {
    const name = nameOf(key);
    const known = this.#sums.get(name);
    if (known !== undefined) {
      // Last in the map is the most recently used.
      this.#sums.delete(name);
      this.#sums.set(name, known);
      return known;
    }
    let reading = this.#reading.get(name);
    if (reading === undefined) {
      reading = this.#read(key)
        .then((used) => {
          const sum = new RunningSum(used);
          this.#sums.set(name, sum);
          return sum;
        })
        .finally(() => this.#reading.delete(name));
      this.#reading.set(name, reading);
    }
    return reading;
  }

  #makeRoom(): void {
    if (this.#sums.size <= this.#max) return;
    for (const [name, sum] of this.#sums) {
      if (sum.busy) continue;
      this.#sums.delete(name);
      if (this.#sums.size <= this.#max) return;
    }
  }
}

function nameOf(key: SumKey): string {
  switch (key.scope) {
    case 'turn':
      return `turn ${key.root}`;
    case 'session':
      return `session ${key.session}`;
    case 'agent_day':
      return `agent ${key.agent} ${key.day}`;
    case 'day':
      return `day ${key.day}`;
  }
}

function plus(left: Amount, right: Amount): Amount {
  return { tokens: left.tokens + right.tokens, nanousd: left.nanousd + right.nanousd };
}

function minus(left: Amount, right: Amount): Amount {
  return { tokens: left.tokens - right.tokens, nanousd: left.nanousd - right.nanousd };
}
