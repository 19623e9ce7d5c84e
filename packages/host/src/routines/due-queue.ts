/** Something that is due at a moment. The queue keeps track of where. */
export interface DueItem {
  /** Milliseconds since 1970. */
  atMs: number;
  /** Its index in the queue; -1 where it is not in one. The queue's own. */
  index: number;
}

/**
 * What is due next, of very many: one array in the order of a binary heap. Whoever holds an item can move it or take it out without a
 * search.
 */
export class DueQueue<Item extends DueItem> {
  readonly #heap: Item[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** What is due first; two of one moment come in no particular order. */
  get first(): Item | undefined {
    return this.#heap[0];
  }

  /** Puts an item in, or moves it to another moment. */
  set(item: Item, atMs: number): void {
    const { index } = item;
    const before = item.atMs;
    item.atMs = atMs;
    if (index === -1) {
      this.#heap.push(item);
      this.#rise(item, this.#heap.length - 1);
    } else if (atMs < before) this.#rise(item, index);
    else this.#sink(item, index);
  }

  /** Takes an item out; nothing where it is not in. */
  remove(item: Item): void {
    const { index } = item;
    if (index === -1) return;
    item.index = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === item) return;
    if (last.atMs < item.atMs) this.#rise(last, index);
    else this.#sink(last, index);
  }

  #rise(item: Item, from: number): void {
    const heap = this.#heap;
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || parent.atMs <= item.atMs) break;
      heap[index] = parent;
      parent.index = index;
      index = above;
    }
    heap[index] = item;
    item.index = index;
  }

  #sink(item: Item, from: number): void {
    const heap = this.#heap;
    let index = from;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      const child = right !== undefined && left !== undefined && right.atMs < left.atMs ? right : left;
      if (child === undefined || child.atMs >= item.atMs) break;
      const below = child.index;
      heap[index] = child;
      child.index = index;
      index = below;
    }
    heap[index] = item;
    item.index = index;
  }
}
