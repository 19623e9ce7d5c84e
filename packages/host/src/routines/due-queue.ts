/** Something that is due at a moment. The queue keeps its place. */
export interface DueItem {
  /** Milliseconds since 1970. */
  atMs: number;
  /** Its place in the queue; -1 where it is not in one. The queue's own. */
  place: number;
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
    const { place } = item;
    const before = item.atMs;
    item.atMs = atMs;
    if (place === -1) {
      this.#heap.push(item);
      this.#rise(item, this.#heap.length - 1);
    } else if (atMs < before) this.#rise(item, place);
    else this.#sink(item, place);
  }

  /** Takes an item out; nothing where it is not in. */
  remove(item: Item): void {
    const { place } = item;
    if (place === -1) return;
    item.place = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === item) return;
    if (last.atMs < item.atMs) this.#rise(last, place);
    else this.#sink(last, place);
  }

  #rise(item: Item, from: number): void {
    const heap = this.#heap;
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || parent.atMs <= item.atMs) break;
      heap[place] = parent;
      parent.place = place;
      place = above;
    }
    heap[place] = item;
    item.place = place;
  }

  #sink(item: Item, from: number): void {
    const heap = this.#heap;
    let place = from;
    for (;;) {
      const left = heap[2 * place + 1];
      const right = heap[2 * place + 2];
      const child = right !== undefined && left !== undefined && right.atMs < left.atMs ? right : left;
      if (child === undefined || child.atMs >= item.atMs) break;
      const below = child.place;
      heap[place] = child;
      child.place = place;
      place = below;
    }
    heap[place] = item;
    item.place = place;
  }
}
