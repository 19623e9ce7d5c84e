import type { LiveInstance, ScopeOf } from './live-instance.ts';
import type { Slot } from './slot.ts';

/** The instances of one agent or session, or the global ones. */
export class ScopeGroup {
  /** Undefined at global scope. */
  readonly scope: ScopeOf | undefined;
  readonly slots = new Map<string, Slot>();
  pins = 0;
  /** What stays when the pins are gone; absent while nothing waits for that. */
  narrowing:
    | { names: ReadonlySet<string>; readonly done: Promise<void>; settle(after: Promise<void>): void }
    | undefined;
  #listed: readonly Slot[] | undefined;

  constructor(scope: ScopeOf | undefined) {
    this.scope = scope;
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
    this.#listed = undefined;
    return true;
  }

  /** Whether something of it must stay: it is pinned, or an instance is about to open. */
  isBusy(): boolean {
    return this.pins > 0 || [...this.slots.values()].some(({ opened }) => !opened);
  }
}
