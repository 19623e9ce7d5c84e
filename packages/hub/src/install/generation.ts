import type { Carrier, CompiledSchema, ExtensionRef, Manifest } from '@fairlead/extension/runtime';
import type { ExtensionSource, Tier } from './extension-source.ts';
import type { Gone, Installed } from './installed.ts';

/** What a generation is made of. */
export interface GenerationParts {
  readonly source: ExtensionSource;
  readonly order: number;
  readonly generation: number;
  readonly manifest: Manifest;
  readonly settings: CompiledSchema;
  readonly carrier: Carrier;
  /** Monotonic: when it was started. */
  readonly startedMs: number;
  /** Hides what the reason of its end may not hold. */
  mask(text: string): string;
}

/** One generation as the registry keeps it. */
export class Generation implements Installed {
  readonly name: string;
  readonly ref: ExtensionRef;
  readonly tier: Tier;
  readonly builtin: boolean;
  readonly source: ExtensionSource;
  readonly order: number;
  readonly generation: number;
  readonly manifest: Manifest;
  readonly settings: CompiledSchema;
  readonly carrier: Carrier;
  readonly startedMs: number;
  readonly #mask: GenerationParts['mask'];
  #gone: Gone | undefined;
  #dead: Gone | undefined;

  constructor(parts: GenerationParts) {
    const { source, order, generation, manifest, settings, carrier, startedMs, mask } = parts;
    this.name = source.ref.name;
    this.ref = source.ref;
    this.tier = source.tier;
    this.builtin = source.builtin;
    this.source = source;
    this.order = order;
    this.generation = generation;
    this.manifest = manifest;
    this.settings = settings;
    this.carrier = carrier;
    this.startedMs = startedMs;
    this.#mask = mask;
  }

  get gone(): Gone | undefined {
    if (this.#gone !== undefined) return this.#gone;
    const { dead } = this.carrier;
    if (dead === undefined) return undefined;
    this.#dead ??= this.#masked(dead);
    return this.#dead;
  }

  get notice(): Gone | undefined {
    const { notice } = this.carrier;
    return notice === undefined ? undefined : this.#masked(notice);
  }

  /** From now on nothing of it is called. The first reason stays. */
  leave(gone: Gone): void {
    this.#gone ??= this.#masked(gone);
  }

  #masked({ code, reason }: Gone): Gone {
    return Object.freeze({ code, reason: this.#mask(reason) });
  }
}
