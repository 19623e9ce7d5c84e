/** Work on names: what touches one name runs one after another, in the order in which it came; the rest side by side. */
export class Lanes {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when everything that came before for any of the names has ended. It takes all its lanes at once, so none waits in a circle. */
  run<T>(names: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const lanes = [...new Set(names)];
    const result = Promise.all(lanes.map((name) => this.#last.get(name))).then(work);
    const ended = result.then(
      () => {},
      () => {},
    );
    for (const name of lanes) this.#last.set(name, ended);
    void ended.then(() => {
      for (const name of lanes) if (this.#last.get(name) === ended) this.#last.delete(name);
    });
    return result;
  }

  /** Settles when no lane has work. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}
