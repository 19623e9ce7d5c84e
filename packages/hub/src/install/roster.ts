import type { ExtensionRef, Manifest } from '@fairlead/extension/runtime';
import type { Generation } from './generation.ts';
import type { Installed } from './installed.ts';

/** An extension that is installed and does not run: refused, or its code does not load. Its gate still denies where the manifest is known. */
export interface FailedExtension {
  readonly name: string;
  readonly ref: ExtensionRef;
  readonly code: string;
  readonly reason: string;
  readonly manifest?: Manifest;
}

type Row = { readonly order: number } & (
  | { readonly installed: Generation; readonly failed?: never }
  | { readonly installed?: never; readonly failed: FailedExtension }
);

/** Which extensions are installed, in install order. What changes it stands in the registry; what reads it compares `generation`. */
export class Roster {
  /** Moves with everything that a live set is built of, but for births of instances and what sessions say. */
  generation = 0;
  readonly #rows = new Map<string, Row>();
  #all: readonly Installed[] | undefined;

  /** The generations in force, dead ones too, in install order. */
  all(): readonly Installed[] {
    this.#all ??= Object.freeze(
      [...this.#rows.values()]
        .flatMap(({ installed }) => (installed === undefined ? [] : [installed]))
        .sort(byOrder),
    );
    return this.#all;
  }

  get(name: string): Installed | undefined {
    return this.#rows.get(name)?.installed;
  }

  /** What is installed and does not run, in install order. */
  failed(): readonly FailedExtension[] {
    return [...this.#rows.values()]
      .sort(byOrder)
      .flatMap(({ failed }) => (failed === undefined ? [] : [failed]));
  }

  /** Whether a name is taken, by something that runs or not. */
  has(name: string): boolean {
    return this.#rows.has(name);
  }

  /** The place of a name in install order. */
  orderOf(name: string): number | undefined {
    return this.#rows.get(name)?.order;
  }

  /** The generation in force as the registry keeps it. */
  generationOf(name: string): Generation | undefined {
    return this.#rows.get(name)?.installed;
  }

  put(installed: Generation): void {
    this.#set(installed.name, { order: installed.order, installed });
  }

  putFailed(failed: FailedExtension, order: number): void {
    this.#set(failed.name, { order, failed });
  }

  remove(name: string): void {
    if (this.#rows.delete(name)) this.moved();
  }

  /** Something that live sets are built of has changed. */
  moved(): void {
    this.generation += 1;
    this.#all = undefined;
  }

  #set(name: string, row: Row): void {
    this.#rows.set(name, row);
    this.moved();
  }
}

function byOrder(one: { readonly order: number }, other: { readonly order: number }): number {
  return one.order - other.order;
}
