import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { COUNTERS, instrument } from './instrument.ts';

/** More branches than the files of any target have. */
const MAX_SITES = 1 << 16;

/**
 * What of some files ran, by counters that are written into them while they are loaded (decision 0070). `take` answers the
 * features of everything since the last `take`: one for each branch and about how often it was gone.
 */
export class BranchCoverage {
  readonly #counters = new Uint32Array(MAX_SITES);
  #sites = 0;

  /** To be made before the files are loaded. Only files of this thread are counted. */
  constructor(root: string, covers: readonly string[]) {
    const prefixes = covers.map((path) => `${pathToFileURL(root).href}/${path}`);
    Object.defineProperty(globalThis, COUNTERS, { value: this.#counters, configurable: true });
    process.setSourceMapsEnabled(true);
    registerHooks({
      load: (url, context, next) => {
        if (!url.endsWith('.ts') || !prefixes.some((prefix) => url.startsWith(prefix)))
          return next(url, context);
        const source = instrument(readFileSync(fileURLToPath(url), 'utf8'), url, () => this.#next());
        return { format: 'module', source, shortCircuit: true };
      },
    });
  }

  take(): number[] {
    const features: number[] = [];
    for (let site = 0; site < this.#sites; site += 1) {
      const count = this.#counters[site] as number;
      if (count === 0) continue;
      features.push(site * STEPS + step(count));
      this.#counters[site] = 0;
    }
    return features;
  }

  #next(): number {
    if (this.#sites >= MAX_SITES) throw new RangeError('too many branches to count');
    this.#sites += 1;
    return this.#sites - 1;
  }
}

const STEPS = 8;

/** About how often: the steps in which the count of a loop is news. */
function step(count: number): number {
  if (count < 4) return count - 1;
  if (count < 8) return 3;
  if (count < 16) return 4;
  if (count < 32) return 5;
  return count < 128 ? 6 : 7;
}
