import {
  type Clock,
  completed,
  failed,
  type Json,
  type JsonObject,
  type Outcome,
  type Random,
  type Timer,
} from '@fairlead/base';
import type { Executor, Invocation, LookedAt, Observed, Principal } from '@fairlead/dispatch';
import { Catalog, type CatalogDesk, catalogDiff } from '@fairlead/hub';
import type { Store } from '@fairlead/store';
import { hostErrors } from '../errors.ts';
import { pluginLimits } from '../limits.ts';
import { Pin, type PinNotice, type PinnedTool } from './pin.ts';
import { PinBindings } from './pin-bindings.ts';
import type { PluginPorts } from './plugin-ports.ts';
import type { PinTable } from './read-pins.ts';

/** Whose call it is, and the id under which the host has written it down. */
export interface PluginCaller {
  readonly call: string;
  /** Its row says already which Runner it is for. */
  readonly isAddressed?: boolean;
  readonly principal: Principal;
}

export interface HostPluginsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly pins: readonly PinTable[];
  readonly report: (report: {
    readonly level: 'info' | 'warn';
    readonly code: string;
    readonly message: string;
  }) => void;
}

/** The extension that all of it belongs to. */
const EXTENSION = 'plugins';

/** Native plugins as the agents of a host reach them: through the one executor, as soon as there is a gateway, and by pins. */
export class HostPlugins implements CatalogDesk {
  readonly #options: HostPluginsOptions;
  readonly #pins: readonly Pin[];
  readonly #bindings: PinBindings;
  readonly #listeners = new Set<() => void>();
  #ports: PluginPorts | undefined;
  #executor: Executor | undefined;
  #ofPins: Executor | undefined;
  #again: Timer | undefined;
  #pauseMs: number = pluginLimits.againMs;
  #looking: Promise<void> = Promise.resolve();

  private constructor(options: HostPluginsOptions, pins: readonly Pin[]) {
    this.#options = options;
    this.#pins = pins;
    this.#bindings = new PinBindings(options.random, (observed) => this.#lost(observed));
  }

  /** With what earlier starts approved. Rejects with a code of the store. */
  static async open(options: HostPluginsOptions): Promise<HostPlugins> {
    const { store, clock, pins } = options;
    const opened: Pin[] = [];
    for (const table of pins) {
      const { runner, plugin, tool } = table;
      const source = `plugin:${runner}/${plugin}/${tool}`;
      const domain = 'fairlead tool observation v1';
      opened.push(new Pin(table, await Catalog.open({ store, clock, source, domain, newTools: 'ask' })));
    }
    return new HostPlugins(options, opened);
  }

  /** From now on plugins can be reached. Returns the way back. */
  connect(ports: PluginPorts): () => void {
    this.#ports = ports;
    this.#executor = ports.executor();
    this.#ofPins = ports.executor(this.#bindings);
    const offs = [
      ports.runners.listen({ registered: ({ runner }) => this.#greet(runner), ended: () => {} }),
      ports.onReload((runner) => this.#look(runner)),
    ];
    this.#look();
    return () => {
      for (const off of offs) off();
      this.#again?.cancel();
      this.#ports = undefined;
      this.#executor = undefined;
      this.#ofPins = undefined;
    };
  }

  /** An action of `plugin_tool`, written down and decided by the host. Never rejects. */
  async invoke({ principal, ...recorded }: PluginCaller, params: JsonObject): Promise<Invocation> {
    if (this.#executor === undefined) return OFFLINE;
    return await this.#executor.invoke({ tool: 'plugin_tool', params, principal, recorded });
  }

  /** What such params are for; undefined for those that do not parse, and where there is no gateway. */
  look(params: JsonObject): LookedAt | undefined {
    return this.#executor?.look(params);
  }

  /** Where a pin that was shown as `target` is now; undefined where it may not be called. */
  placeOf(name: string, target: string): Observed | undefined {
    const pin = this.#pins.find(({ table }) => table.name === name);
    return pin?.refusal(target) === undefined ? pin?.seen?.observed : undefined;
  }

  /** What an agent is shown, in the order of the file. */
  pinned(agent: string): readonly PinnedTool[] {
    return this.#pins.flatMap((pin) => {
      const tool = pin.isFor(agent) ? pin.tool() : undefined;
      return tool === undefined ? [] : [tool];
    });
  }

  /** Calls a pin that was shown as `target`. Never rejects. */
  async callPinned(
    { principal, ...recorded }: PluginCaller,
    { name, target }: { readonly name: string; readonly target: string },
    args: JsonObject,
  ): Promise<Invocation> {
    const pin = this.#pins.find(({ table }) => table.name === name);
    const refusal = pin?.refusal(target);
    if (refusal !== undefined) return { certainty: 'not_started', error: refusal };
    if (this.#ofPins === undefined || pin?.seen === undefined) return OFFLINE;
    const params = { action: 'call', binding: pin.seen.handle, arguments: args };
    return await this.#ofPins.invoke({ tool: 'plugin_tool', params, principal, recorded });
  }

  /** Calls `listener` whenever `pinned` may answer something else. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notices(): readonly PinNotice[] {
    return this.#pins.flatMap((pin) => pin.notice() ?? []);
  }

  /** What of pins somebody must look at; undefined where nothing has to be. */
  notice(): { readonly code: string; readonly reason: string } | undefined {
    const changed = this.notices().filter(({ code }) => code === 'plugin_schema_changed');
    const [first] = changed;
    if (first === undefined) return undefined;
    const names = changed.map(({ pin }) => pin).join(', ');
    return { code: first.code, reason: `${names}: not what was approved; see fairlead ext diff plugins` };
  }

  has(extension: string): boolean {
    return extension === EXTENSION;
  }

  diff(extension: string, tool?: string): Outcome<Json> {
    if (!this.has(extension)) return unknown(extension);
    const tools = this.#pins.flatMap(({ table, catalog }) =>
      tool === undefined || tool === table.name
        ? catalogDiff(catalog.rows()).map((diff) => ({ ...diff, tool: table.name }))
        : [],
    );
    return completed({ name: EXTENSION, tools: tools as unknown as Json });
  }

  async approve(
    extension: string,
    seen: ReadonlyMap<string, string | null>,
    by: string,
  ): Promise<Outcome<Json>> {
    if (!this.has(extension)) return unknown(extension);
    const approved: string[] = [];
    for (const { table, catalog } of this.#pins) {
      const observation = seen.get(table.name);
      if (observation === undefined) continue;
      const done = await catalog.approve(new Map([[table.tool, observation]]), by);
      if (done.length > 0) approved.push(table.name);
    }
    if (approved.length === 0)
      return failed('not_started', 'pin_nothing_pending', hostErrors.pin_nothing_pending.message);
    this.#changed();
    return completed({ name: EXTENSION, approved });
  }

  /** Resolves when nothing is being looked at. */
  async settled(): Promise<void> {
    let looking: Promise<void>;
    do {
      looking = this.#looking;
      await looking;
    } while (looking !== this.#looking);
  }

  /** Its plugins may be starting, however long it was away: they are looked at as often as those of a host that starts. */
  #greet(runner: string): void {
    this.#pauseMs = pluginLimits.againMs;
    this.#look(runner);
  }

  /** A call found that what was seen does not hold any more. */
  #lost(observed: Observed): void {
    for (const pin of this.#pins) if (pin.seen?.observed === observed) pin.seen = undefined;
    this.#look(observed.runner);
  }

  /** Looks at the pins of a Runner, or of all, one after the other. */
  #look(runner?: string): void {
    if (this.#pins.length === 0) return;
    this.#looking = this.#looking.then(async () => {
      for (const pin of this.#pins)
        if (runner === undefined || pin.table.runner === runner) await this.#see(pin);
      this.#planAgain();
    });
  }

  async #see(pin: Pin): Promise<void> {
    const { report } = this.#options;
    const before = pin.target;
    const ports = this.#ports;
    if (ports === undefined) return;
    const seen = await ports.see(pin.table);
    let moved = false;
    try {
      if (seen.ok) moved = await pin.catalog.observe(new Map([[pin.table.tool, seen.definition]]));
      else if (seen.code === 'tool_not_found') moved = await pin.catalog.observe(new Map());
    } catch {
      // Asked again; until then what is not written down is not trusted.
      pin.unseen = 'journal_unavailable';
      return;
    }
    if (pin.seen !== undefined) this.#bindings.drop(pin.seen.handle);
    pin.seen = seen.ok
      ? {
          observed: seen.observed,
          handle: this.#bindings.add(seen.observed, seen.definition['inputSchema'] as JsonObject),
        }
      : undefined;
    if (!seen.ok) pin.unseen = seen.code;
    const { name } = pin.table;
    if (moved && !pin.holds)
      report({ level: 'warn', code: 'pin_changed', message: `${name}: ${hostErrors.pin_changed.message}` });
    if (moved || before !== pin.target) this.#changed();
  }

  #planAgain(): void {
    this.#again?.cancel();
    // A plugin may be starting when its Runner is there, or be put right without a word.
    const waits = this.#pins.some(({ seen }) => seen === undefined);
    if (!waits || this.#ports === undefined) {
      this.#pauseMs = pluginLimits.againMs;
      return;
    }
    const again = () => this.#look();
    this.#again = this.#options.clock.setTimer(this.#pauseMs, again, { unref: true });
    this.#pauseMs = Math.min(this.#pauseMs * 2, pluginLimits.againMaxMs);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Without a gateway there is no Runner: a run of its own, a host that is starting. */
const OFFLINE: Invocation = Object.freeze({
  certainty: 'not_started',
  error: Object.freeze({
    code: 'runner_unavailable',
    message: 'No Runner is connected to this host. Nothing was sent.',
    recovery: 'Start the host with its Runner, and call again.',
  }),
});

function unknown(extension: string): Outcome<never> {
  const message = 'No extension of this name has foreign tools here.';
  return failed('not_started', 'extension_unknown', message, { name: extension });
}
