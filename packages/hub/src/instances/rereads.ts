import type { Clock } from '@fairlead/base';
import { hubLimits } from '../limits.ts';
import type { Opener } from './opener.ts';
import type { Slot } from './slot.ts';

/** What instances contribute is read again when they say that it has changed, ten times a second at most. */
export class Rereads {
  readonly #opener: Opener;
  readonly #clock: Clock;
  readonly #changed: () => void;

  /** @param changed Told when an instance contributes something else than before. */
  constructor(opener: Opener, clock: Clock, changed: () => void) {
    this.#opener = opener;
    this.#clock = clock;
    this.#changed = changed;
  }

  /** An instance says that it changed, perhaps while it opens. */
  note(slot: Slot): void {
    slot.stale = true;
    this.look(slot);
  }

  /** Reads it again where it said so and is open. */
  look(slot: Slot): void {
    if (slot.stale && slot.opened && !slot.rereading) void this.#reread(slot);
  }

  async #reread(slot: Slot): Promise<void> {
    slot.rereading = true;
    while (slot.stale && !slot.ended) {
      slot.stale = false;
      await this.#opener.reread(slot, this.#changed);
      await this.#rest(slot);
    }
    slot.rereading = false;
  }

  /** Waits until it may be read again, or is taken. */
  async #rest(slot: Slot): Promise<void> {
    if (slot.ended) return;
    const rested = Promise.withResolvers<void>();
    slot.timer = this.#clock.setTimer(hubLimits.rereadMs, rested.resolve);
    await slot.taken.before(rested.promise);
  }
}
