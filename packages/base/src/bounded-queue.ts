/** First in, first out, with a limit: a full queue refuses instead of growing. */
export class BoundedQueue<T> {
  readonly #capacity: number;
  #items: T[] = [];

  /** `capacity`: 0 or more items; 0 refuses everything. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#items.length;
  }

  /** False when full; the item was then not taken. */
  offer(item: T): boolean {
    if (this.#items.length >= this.#capacity) return false;
    this.#items.push(item);
    return true;
  }

  take(): T | undefined {
    return this.#items.shift();
  }

  /** Takes one item out wherever it stands; false when it is not there. */
  remove(item: T): boolean {
    const index = this.#items.indexOf(item);
    if (index < 0) return false;
    this.#items.splice(index, 1);
    return true;
  }

  /** Takes everything, oldest first. */
  drain(): T[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }
}
