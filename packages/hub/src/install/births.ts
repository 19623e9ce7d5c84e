import { type Clock, FairleadError } from '@fairlead/base';
import type { Ask, CallRequest, Carrier, ExtensionRef, HostSide } from '@fairlead/extension/runtime';
import { type Fault, faultOf } from '../failures/fault.ts';
import { hubLimits } from '../limits.ts';
import type { ExtensionSource } from './extension-source.ts';
import { Generation } from './generation.ts';
import type { Gone } from './installed.ts';
import { Moment } from './moment.ts';
import { readGeneration } from './read-generation.ts';
import { within } from './within.ts';

export interface BirthsOptions {
  readonly clock: Clock;
  hostFor(ref: ExtensionRef): Pick<HostSide, 'ask' | 'log'>;
  /** Hides what no reason may hold. Default: nothing. */
  readonly mask?: ((text: string) => string) | undefined;
  changed(instance: string): void;
  died(generation: Generation): void;
}

/** A generation that runs and may be installed, or why there is none. */
export type Birth = { readonly ok: true; readonly generation: Generation } | ({ readonly ok: false } & Fault);

/** Starts generations. Whatever a loader does is caught: a throw before its promise, a rejection, something that is no carrier, silence. */
export class Births {
  readonly #options: BirthsOptions;
  readonly #counts = new Map<string, number>();
  /** Everything is given up. */
  readonly closing = new Moment();

  constructor(options: BirthsOptions) {
    this.#options = options;
  }

  /** Gives up what still starts. */
  close(): void {
    this.closing.come();
  }

  /** Whether nothing is started any more. */
  get closed(): boolean {
    return this.closing.hasCome;
  }

  async start(source: ExtensionSource, order: number): Promise<Birth> {
    const birth = await this.#start(source, order);
    return birth.ok ? birth : { ...birth, reason: this.#mask(birth.reason) };
  }

  async #start(source: ExtensionSource, order: number): Promise<Birth> {
    const { clock } = this.#options;
    const death: { generation?: Generation; told: boolean } = { told: false };
    const died = (): void => {
      if (death.told) return;
      death.told = true;
      if (death.generation !== undefined) this.#options.died(death.generation);
    };
    const started = (async () =>
      source.start(
        this.#hostOf(source, () => death.generation),
        died,
      ))();
    let carrier: Carrier;
    try {
      const came = await within(clock, hubLimits.startMs, started, this.closing);
      if (typeof came === 'string') {
        // It may still come; then nobody is there for it.
        started.then((late) => endCarrier(late, clock)).catch(() => {});
        const reason =
          came === 'late' ? `it was not started within ${hubLimits.startMs} ms` : 'the hub is closing';
        return { ok: false, code: came === 'late' ? 'extension_load_failed' : 'hub_closed', reason };
      }
      carrier = came.value;
    } catch (thrown) {
      return { ok: false, ...faultOf(thrown, 'extension_load_failed') };
    }
    try {
      const reading = readGeneration(source, carrier);
      if (!reading.ok) {
        await endCarrier(carrier, clock);
        return reading;
      }
      const generation = new Generation({
        ...reading,
        source,
        order,
        carrier,
        generation: this.#count(source.ref.name),
        startedMs: clock.monotonicMs(),
        mask: (text) => this.#mask(text),
      });
      death.generation = generation;
      // It was told before anybody could listen.
      if (death.told) this.#options.died(generation);
      return { ok: true, generation };
    } catch (thrown) {
      await endCarrier(carrier, clock);
      return { ok: false, ...faultOf(thrown, 'extension_load_failed') };
    }
  }

  #mask(text: string): string {
    return this.#options.mask?.(text) ?? text;
  }

  #count(name: string): number {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count;
  }

  /** @param generation The one that asks, once it is there. */
  #hostOf(source: ExtensionSource, generation: () => Generation | undefined): HostSide {
    const host = this.#options.hostFor(source.ref);
    return {
      ask(ask, caller) {
        const gone = refusalOf(generation(), ask, caller);
        if (gone !== undefined) throw new FairleadError(gone.code, gone.reason);
        return host.ask(ask, caller);
      },
      log: (line) => host.log(line),
      changed: (instance) => this.#options.changed(instance),
    };
  }
}

/** What left, or is dead, asks for its calls alone: what it did by itself, its next generation does, or nobody any more. */
function refusalOf(
  generation: Generation | undefined,
  { op }: Ask,
  caller: CallRequest | undefined,
): Gone | undefined {
  if (caller !== undefined || generation?.gone === undefined) return undefined;
  // A call that still runs asks for agents without being named.
  if (op.startsWith('agent_state.') && generation.carrier.dead === undefined) return undefined;
  return generation.gone;
}

/** Ends a carrier within its time; one that throws or hangs is left. */
export async function endCarrier(carrier: Carrier | null | undefined, clock: Clock): Promise<void> {
  try {
    await within(clock, hubLimits.endMs, (async () => carrier?.end())());
  } catch {
    // Its instances are closed and nothing calls it: there is nothing left to do for it.
  }
}
