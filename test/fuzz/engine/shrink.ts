/**
 * Makes an input smaller while `fails` still says that it fails: whole values first where it is JSON, then parts of its bytes,
 * then plainer bytes. Ends after `maxTries` questions at the latest, with the smallest input that failed.
 */
export async function shrink(
  input: Uint8Array,
  options: {
    readonly form: 'bytes' | 'text' | 'json';
    readonly maxTries: number;
    fails(candidate: Uint8Array): Promise<boolean>;
  },
): Promise<Uint8Array> {
  let smallest = input;
  let tries = 0;
  const isOver = () => tries >= options.maxTries;
  /** True where the candidate is better and fails too. */
  const tried = async (candidate: Uint8Array): Promise<boolean> => {
    if (isOver() || !isBetter(candidate, smallest)) return false;
    tries += 1;
    if (!(await options.fails(candidate))) return false;
    smallest = candidate;
    return true;
  };
  for (let before = -1; before !== smallest.length && !isOver(); ) {
    before = smallest.length;
    if (options.form === 'json') await shrinkJson(() => smallest, tried, isOver);
    await cutParts(() => smallest, tried, isOver);
  }
  await makePlain(() => smallest, tried, isOver);
  return smallest;
}

type Current = () => Uint8Array;
type Tried = (candidate: Uint8Array) => Promise<boolean>;

function isBetter(candidate: Uint8Array, than: Uint8Array): boolean {
  return (
    candidate.length < than.length ||
    (candidate.length === than.length && Buffer.compare(candidate, than) !== 0)
  );
}

/** Leaves out halves, quarters and so on down to single bytes, wherever that still fails. */
async function cutParts(current: Current, tried: Tried, isOver: () => boolean): Promise<void> {
  for (let size = Math.ceil(current().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < current().length && !isOver(); ) {
      const input = current();
      const without = Buffer.concat([input.subarray(0, start), input.subarray(start + size)]);
      if (!(await tried(without))) start += size;
    }
  }
}

/** Puts a plain byte in the place of each other one, where the input is short enough to be read by a person. */
async function makePlain(current: Current, tried: Tried, isOver: () => boolean): Promise<void> {
  if (current().length > 512) return;
  for (let at = 0; at < current().length && !isOver(); at += 1) {
    if (current()[at] === PLAIN) continue;
    const candidate = Buffer.from(current());
    candidate[at] = PLAIN;
    await tried(candidate);
  }
}

const PLAIN = 0x30;

/** Puts a child in the place of its parent, leaves members out, and puts the plainest value of its kind in a value's place. */
async function shrinkJson(current: Current, tried: Tried, isOver: () => boolean): Promise<void> {
  for (let progress = true; progress; ) {
    progress = false;
    for (const candidate of smallerValues(parsed(current()))) {
      if (isOver()) return;
      const text = textOf(candidate);
      if (text !== undefined && text.length < current().length && (await tried(Buffer.from(text)))) {
        progress = true;
        break;
      }
    }
  }
}

function parsed(input: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(input).toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** Undefined for what nests too deeply to be written. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Every value that has one thing less; the most is left out first. */
function* smallerValues(value: unknown, depth = 0): Generator<unknown> {
  if (typeof value === 'string' && value !== '') yield '';
  if (typeof value === 'number' && value !== 0) yield 0;
  if (typeof value !== 'object' || value === null || depth > 100) return;
  const entries = Object.entries(value);
  for (const [, child] of entries) yield child;
  const made = (next: readonly [string, unknown][]) =>
    Array.isArray(value) ? next.map(([, item]) => item) : Object.fromEntries(next);
  if (entries.length > 3) {
    yield made(entries.slice(entries.length / 2));
    yield made(entries.slice(0, entries.length / 2));
  }
  for (const [index] of entries.entries()) yield made(entries.toSpliced(index, 1));
  for (const [index, [key, child]] of entries.entries())
    for (const smaller of smallerValues(child, depth + 1)) yield made(entries.with(index, [key, smaller]));
}
