import type { Clock } from '@fairlead/base';
import type { JsonObject, ScopeKind } from '@fairlead/extension';
import type { Failure } from '../failures/failure.ts';
import type { FailureBook } from '../failures/failure-book.ts';
import type { Fault } from '../failures/fault.ts';
import type { GenerationInstances, TakenInstances } from '../install/generation-instances.ts';
import type { Installed } from '../install/installed.ts';
import { RESERVED_COMMANDS } from '../install/reserved-names.ts';
import type { Roster } from '../install/roster.ts';
import { within } from '../install/within.ts';
import { hubLimits } from '../limits.ts';
import type { Report } from '../report.ts';
import { closeInReverse } from './close-in-reverse.ts';
import { Endings } from './endings.ts';
import type { InstanceScope, LiveInstance, ScopeOf } from './live-instance.ts';
import { Opener, reportedPlace } from './opener.ts';
import { Rereads } from './rereads.ts';
import type { ScopeGroup } from './scope-group.ts';
import { ScopeGroups } from './scope-groups.ts';
import { Slot } from './slot.ts';

export interface InstancesOptions {
  readonly roster: Roster;
  readonly failures: FailureBook;
  readonly clock: Clock;
  readonly report: Report;
  /** Hides what no reason may hold. Default: nothing. */
  readonly mask?: (text: string) => string;
  /** The merge that `open` sees. What it throws fails that instance alone. */
  settingsFor(extension: Installed, scope: InstanceScope): JsonObject | Promise<JsonObject>;
  /** Commands that the host keeps for itself. Default: `RESERVED_COMMANDS`. */
  readonly reserved?: ReadonlySet<string>;
  /** Agent and session instances at once. Default: 4,096. */
  readonly maxInstances?: number;
}

/**
 * The instances of every extension: global ones, and those of agents and sessions, which open when they are first needed, each once however
 * many ask, and end when their scope closes, when their extension leaves, or when many others were used since.
 */
export class Instances implements GenerationInstances {
  readonly #options: InstancesOptions;
  readonly #opener: Opener;
  readonly #rereads: Rereads;
  readonly #groups = new ScopeGroups();
  /** Every instance until it has ended, those on no list too. */
  readonly #slots = new Map<string, Slot>();
  readonly #endings = new Endings();
  #evictions = 0;
  #born = 0;
  #closed = false;

  constructor(options: InstancesOptions) {
    this.#options = options;
    const { reserved = RESERVED_COMMANDS } = options;
    this.#opener = new Opener({
      ...options,
      settingsFor: (...place) => options.settingsFor(...place),
      reserved,
    });
    this.#rereads = new Rereads(this.#opener, options.clock, () => options.roster.moved());
  }

  /** Moves with each eviction: a live set that was built before is not served after. */
  get evictions(): number {
    return this.#evictions;
  }

  /**
   * Opens what the names lack at a scope, side by side; joins what is on its way. One that failed is tried again when its pause is over;
   * it is waited for at most a second, and comes to the live sets after. Pin the scope first, so that nothing of it is evicted in between. Never rejects: what did not open has a failure.
   */
  async ensure(scope: InstanceScope, names: ReadonlySet<string>): Promise<void> {
    const kind = kindOf(scope);
    const wanted = this.#options.roster
      .all()
      .filter(
        ({ name, manifest, gone }) => gone === undefined && names.has(name) && manifest.scopes.includes(kind),
      );
    if (this.#closed || wanted.length === 0) return;
    const group = this.#groups.use(scope);
    group.keep(names);
    const flights: Promise<unknown>[] = [];
    for (const extension of wanted) {
      const slot = group.slots.get(extension.name);
      if (slot?.extension === extension) flights.push(this.#arrival(slot));
      else if (this.#options.failures.isDue(extension.name, kind, keyOf(scope)))
        flights.push(this.#arrival(this.#open(scope, group, extension)));
    }
    this.#evictOverCap(group);
    await Promise.all(flights);
    this.#groups.forgetEmpty(group);
  }

  /** The open instances of a scope, in install order. */
  of(scope: InstanceScope): readonly LiveInstance[] {
    return this.#groups.get(scope)?.listed() ?? [];
  }

  /** An instance by its id, until it has ended: one that was evicted may still have calls that ask. */
  find(id: string): LiveInstance | undefined {
    return this.#slots.get(id);
  }

  /** Why an extension has no instance at a scope. */
  failureOf(name: string, scope: InstanceScope): Failure | undefined {
    return this.#options.failures.of(name, kindOf(scope), keyOf(scope));
  }

  /** When the next failed instance of a scope may be tried again, by the monotonic clock: a live set is not served past it. */
  nextRetryMs(scope: InstanceScope): number | undefined {
    return this.#options.failures.nextDueMs(kindOf(scope), keyOf(scope));
  }

  /**
   * While pinned, the instances of a scope are neither pushed out by others nor evicted by `narrow`. Closing the scope, unloading and
   * replacing do not wait. Call what comes back once; further calls do nothing.
   */
  pin(scope: InstanceScope): () => void {
    if (scope === 'global' || this.#closed) return () => {};
    const group = this.#groups.use(scope);
    group.pins += 1;
    let pinned = true;
    return () => {
      if (!pinned) return;
      pinned = false;
      group.pins -= 1;
      if (group.pins > 0) return;
      const { narrowing } = group;
      if (narrowing !== undefined) group.settleNarrowing(this.#keepOnly(group, narrowing));
      this.#evictOverCap();
      this.#groups.forgetEmpty(group);
    };
  }

  /**
   * Evicts the instances of a scope whose extension is not among the names, when its pins are gone; a name that is ensured before stays.
   * Resolves when they have ended.
   */
  narrow(scope: ScopeOf, names: ReadonlySet<string>): Promise<void> {
    const group = this.#groups.get(scope);
    if (group === undefined) return Promise.resolve();
    if (group.pins === 0) {
      const ended = this.#keepOnly(group, names);
      this.#groups.forgetEmpty(group);
      return ended;
    }
    return group.narrowLater(names);
  }

  /** Ends all instances of a scope, the last one opened first, pinned or not. */
  async close(scope: ScopeOf): Promise<void> {
    const group = this.#groups.get(scope);
    if (group === undefined) return;
    this.#groups.remove(scope);
    const ended = this.#evict(group, [...group.slots.values()], 'its scope was closed');
    group.settleNarrowing(ended);
    await ended;
  }

  async openAhead(generation: Installed): Promise<Fault | undefined> {
    if (this.#closed || !generation.manifest.scopes.includes('global')) return undefined;
    const slot = this.#newSlot(generation, 'global');
    slot.flight = this.#opener.open(slot, 'global');
    const fault = await slot.flight;
    if (fault === undefined) this.#opened(slot);
    else void this.#take([slot], fault.reason).close();
    return fault;
  }

  adopt(generation: Installed): void {
    for (const slot of this.#slots.values())
      if (slot.extension === generation && slot.kind === 'global' && !slot.ended)
        this.#groups.use('global').put(slot);
  }

  take(generation: Installed): TakenInstances {
    const reason = generation.gone?.reason ?? 'its extension is leaving';
    const { close } = this.#take(this.#slotsOf(generation), reason);
    return {
      close: async () => {
        await close();
        // Those that were evicted before may still be ending.
        await this.#endings.all(generation);
      },
    };
  }

  takeAll(): TakenInstances {
    this.#closed = true;
    const groups = this.#groups.all();
    const { close } = this.#take(this.#slotsOf(), 'the hub is closing');
    // Whoever waits for pins to go waits no longer.
    for (const group of groups) group.settleNarrowing(Promise.resolve());
    return {
      close: async () => {
        await close();
        await this.#endings.all();
      },
    };
  }

  /** What of a generation, or of all without one, is open or about to. */
  #slotsOf(generation?: Installed): readonly Slot[] {
    return [...this.#slots.values()].filter(
      ({ extension, ended }) => !ended && (generation === undefined || extension === generation),
    );
  }

  changed(id: string): void {
    const slot = this.#slots.get(id);
    if (slot !== undefined && !slot.ended) this.#rereads.note(slot);
  }

  /** One that hung before must not hold every turn up for as long as it is given to open. */
  async #arrival(slot: Slot): Promise<void> {
    if (!slot.again) await slot.flight;
    else if ((await within(this.#options.clock, hubLimits.retryWaitMs, slot.flight)) === 'late')
      slot.missed = true;
  }

  #newSlot(extension: Installed, scope: InstanceScope, again = false): Slot {
    this.#born += 1;
    const slot = new Slot(extension, scope, this.#born, again);
    this.#slots.set(slot.id, slot);
    return slot;
  }

  #open(scope: InstanceScope, group: ScopeGroup, extension: Installed): Slot {
    const { failures, report } = this.#options;
    const slot = this.#newSlot(extension, scope, this.failureOf(extension.name, scope) !== undefined);
    group.put(slot);
    const before = this.#endings.at(slot);
    slot.flight = (async () => {
      await before;
      if (slot.ended) return undefined;
      const fault = await this.#opener.open(slot, scope);
      if (slot.ended) return undefined;
      if (fault === undefined) {
        this.#opened(slot);
        group.opened();
        failures.clear(extension.name, slot.kind, slot.key);
        return undefined;
      }
      // The death of the extension is told by itself, and is no failure of the instance.
      if (extension.gone === undefined) {
        failures.record({ name: extension.name, scope: slot.kind, key: slot.key, ...fault });
        report({ ...reportedPlace(slot), ...fault });
      }
      void this.#take([slot], fault.reason).close();
      return fault;
    })();
    return slot;
  }

  #opened(slot: Slot): void {
    slot.opened = true;
    // A birth is no change for a live set, unless one was built without it.
    if (slot.missed) this.#options.roster.moved();
    this.#rereads.look(slot);
  }

  /** Takes instances off their lists, at once. */
  #take(slots: readonly Slot[], reason: string): TakenInstances {
    for (const slot of slots) {
      slot.end(reason);
      const group = this.#groups.get(slot.scope);
      group?.remove(slot);
      if (group !== undefined) this.#groups.forgetEmpty(group);
    }
    return { close: () => this.#close(slots) };
  }

  #close(slots: readonly Slot[]): Promise<void> {
    const endings = new Map(slots.map((slot) => [slot, this.#endings.begin(slot)]));
    return closeInReverse(slots, this.#options.clock, async (slot) => {
      await this.#opener.close(slot);
      this.#slots.delete(slot.id);
      endings.get(slot)?.();
    });
  }

  #evict(group: ScopeGroup, slots: readonly Slot[], reason: string): Promise<void> {
    if (slots.length === 0) return Promise.resolve();
    this.#evictions += 1;
    for (const slot of slots) group.remove(slot);
    return this.#take(slots, reason).close();
  }

  #keepOnly(group: ScopeGroup, names: ReadonlySet<string>): Promise<void> {
    const others = [...group.slots.values()].filter(({ extension }) => !names.has(extension.name));
    return this.#evict(group, others, 'its extension is not active here any more');
  }

  #evictOverCap(used?: ScopeGroup): void {
    const { maxInstances = hubLimits.maxInstances } = this.#options;
    for (const group of this.#groups.overCap(maxInstances, used)) {
      void this.#evict(group, [...group.slots.values()], 'others were used since');
      this.#groups.forgetEmpty(group);
    }
  }
}

function keyOf(scope: InstanceScope): string {
  return scope === 'global' ? '' : scope.key;
}

function kindOf(scope: InstanceScope): ScopeKind {
  return scope === 'global' ? 'global' : scope.kind;
}
