import type { LiveInstance, ScopeOf } from './live-instance.ts';
import type { Slot } from './slot.ts';

/** How many instances several groups have, those included that are about to open. */
export interface InstanceCount {
  instances: number;
}

interface Narrowing {
  names: ReadonlySet<string>;
  readonly done: Promise<void>;
  settle(after: Promise<void>): void;
}

/** The instances of one agent or session, or the global ones. */
export class ScopeGroup {
  /** Undefined at global scope. */
  readonly scope: ScopeOf | undefined;
  readonly slots = new Map<string, Slot>();
  pins = 0;
  /** Counts up over all groups with each use. */
  used = 0;
  #narrowing: Narrowing | undefined;
  #listed: readonly Slot[] | undefined;

  readonly #count: InstanceCount;

  /** @param count Of all groups together; this one keeps its part of it. */
  constructor(scope: ScopeOf | undefined, count: InstanceCount) {
    this.scope = scope;
    this.#count = count;
  }

  /** The open ones, in install order. */
  listed(): readonly LiveInstance[] {
    this.#listed ??= Object.freeze(
      [...this.slots.values()]
        .filter(({ opened }) => opened)
        .sort((one, other) => one.extension.order - other.extension.order),
    );
    // An extension that is gone takes its instances off the list a moment later.
    return this.#listed.every(({ gone }) => gone === undefined)
      ? this.#listed
      : this.#listed.filter(({ gone }) => gone === undefined);
  }

  put(slot: Slot): void {
    if (!this.slots.has(slot.extension.name)) this.#count.instances += 1;
    this.slots.set(slot.extension.name, slot);
    this.#listed = undefined;
  }

  /** One of its instances has opened. */
  opened(): void {
    this.#listed = undefined;
  }

  /** Takes an instance off the list, where it is still there. */
  remove(slot: Slot): boolean {
    if (this.slots.get(slot.extension.name) !== slot) return false;
    this.slots.delete(slot.extension.name);
    this.#count.instances -= 1;
    this.#listed = undefined;
    return true;
  }

  /** What stays when the pins are gone; undefined while nothing waits for that. */
  get narrowing(): ReadonlySet<string> | undefined {
    return this.#narrowing?.names;
  }

  /** These alone stay when the pins are gone; settles when the others have ended. */
  narrowLater(names: ReadonlySet<string>): Promise<void> {
    if (this.#narrowing === undefined) {
      let settle: Narrowing['settle'] = () => {};
      const done = new Promise<void>((resolve) => {
        settle = resolve;
      });
      this.#narrowing = { names, done, settle };
    } else this.#narrowing.names = names;
    return this.#narrowing.done;
  }

  /** These are asked for again before they left. */
  keep(names: ReadonlySet<string>): void {
    if (this.#narrowing !== undefined) this.#narrowing.names = new Set([...this.#narrowing.names, ...names]);
  }

  /** Whoever waits for the narrowing waits for `ended` from here on. */
  settleNarrowing(ended: Promise<void>): void {
    this.#narrowing?.settle(ended);
    this.#narrowing = undefined;
  }

  /** Whether something of it must stay: it is pinned, or an instance is about to open. */
  isBusy(): boolean {
    return this.pins > 0 || [...this.slots.values()].some(({ opened }) => !opened);
  }
}
