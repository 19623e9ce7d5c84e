import type { Clock } from '@fairlead/base';
import { hubErrors } from '../errors.ts';
import { hubLimits } from '../limits.ts';
import { endCarrier } from './births.ts';
import type { Generation } from './generation.ts';
import type { GenerationInstances } from './generation-instances.ts';
import type { Gone } from './installed.ts';
import type { Moment } from './moment.ts';
import { within } from './within.ts';

export const REPLACED: Gone = Object.freeze({
  code: 'extension_replaced',
  reason: hubErrors.extension_replaced.message,
});
export const UNLOADED: Gone = Object.freeze({
  code: 'extension_unknown',
  reason: hubErrors.extension_unknown.message,
});

/** The ways out of generations that are in force no more. */
export class Drains {
  readonly #instances: GenerationInstances;
  readonly #clock: Clock;
  readonly #hurry: Moment;
  readonly #running = new Set<Promise<void>>();

  /** @param hurry Comes when calls in flight are not waited for any more. */
  constructor(instances: GenerationInstances, clock: Clock, hurry: Moment) {
    this.#instances = instances;
    this.#clock = clock;
    this.#hurry = hurry;
  }

  /**
   * From now on nothing of the generation is called, its instances are on no list, and it does nothing by itself. Its calls in flight end
   * by themselves, within their own budgets, an hour at most; then its instances, the last one opened first; then its code. Never rejects.
   */
  drain(old: Generation, gone: Gone): Promise<void> {
    old.leave(gone);
    const taken = this.#instances.take(old);
    quiet(old);
    const drained = (async () => {
      await within(this.#clock, hubLimits.drainMs, idle(old), this.#hurry);
      await taken.close();
      await endCarrier(old.carrier, this.#clock);
    })();
    this.#running.add(drained);
    void drained.then(() => this.#running.delete(drained));
    return drained;
  }

  /** Settles when every generation that is on its way out is gone. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }
}

/** A carrier that cannot be told is refused what it asks by itself all the same. */
function quiet({ carrier }: Generation): void {
  try {
    carrier.quiet?.();
  } catch {}
}

/** A carrier that cannot say when its calls have ended is not waited for. */
async function idle({ carrier }: Generation): Promise<void> {
  try {
    await carrier.idle();
  } catch {}
}
