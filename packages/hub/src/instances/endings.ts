import type { Installed } from '../install/installed.ts';
import type { Slot } from './slot.ts';

/** What is ending, by its place: a place opens anew only when what stood there has ended. Generations do not wait for each other. */
export class Endings {
  readonly #places = new WeakMap<Installed, Map<string, Promise<unknown>>>();
  readonly #running = new Set<Promise<void>>();

  /** Settles when nothing of an instance's extension is ending at its place; undefined where nothing is. */
  at({ extension, kind, key }: Slot): Promise<unknown> | undefined {
    return this.#places.get(extension)?.get(`${kind} ${key}`);
  }

  /** Settles when nothing of the extension, or of any without one, is ending anywhere. */
  async all(extension?: Installed): Promise<void> {
    if (extension === undefined) await Promise.all(this.#running);
    else await Promise.all(this.#places.get(extension)?.values() ?? []);
  }

  /** An instance begins to end; what comes back is called when it has. */
  begin({ extension, kind, key }: Slot): () => void {
    const place = `${kind} ${key}`;
    let settle = (): void => {};
    const own = new Promise<void>((resolve) => {
      settle = resolve;
    });
    this.#running.add(own);
    void own.then(() => this.#running.delete(own));
    const places = this.#places.get(extension) ?? new Map<string, Promise<unknown>>();
    this.#places.set(extension, places);
    const all = Promise.all([places.get(place), own]);
    places.set(place, all);
    void all.then(() => {
      if (places.get(place) === all) places.delete(place);
    });
    return settle;
  }
}
