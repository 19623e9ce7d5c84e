import { NUMBERS, PIECES, VALUES } from './interesting.ts';
import { type Material, mutateBytes } from './mutate-bytes.ts';

type Place = { readonly holder: unknown[] | Record<string, unknown>; readonly key: string | number };

/** Changes a JSON text in its values, members and nesting; what is no JSON, or small change anyway, in its bytes. */
export function mutateJson(input: Uint8Array, material: Material): Buffer {
  const { dice } = material;
  const root = dice.below(4) === 0 ? undefined : read(input);
  if (root === undefined) return mutateBytes(input, material);
  try {
    const times = 1 << dice.below(3);
    for (let time = 0; time < times; time += 1) dice.pick(changes)(dice.pick(places(root)), material);
    if (!isWithin(root, MAX_CHARACTERS)) return mutateBytes(input, material);
    const text = JSON.stringify(root.value);
    // A change of the box itself may have left nothing in it.
    return text === undefined ? mutateBytes(input, material) : Buffer.from(text);
  } catch (error) {
    // What nests too deeply for a copy, or for JSON.stringify, is changed in its bytes.
    if (!(error instanceof RangeError)) throw error;
    return mutateBytes(input, material);
  }
}

/** Lists of lists of copies grow without end: what is far longer than any input may be is not even written. */
const MAX_CHARACTERS = 1 << 20;

function isWithin(value: unknown, most: number): boolean {
  let weight = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && weight <= most) {
    const next = pending.pop();
    weight += typeof next === 'string' ? next.length + 2 : 4;
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, below] of Object.entries(next)) {
      weight += Array.isArray(next) ? 1 : key.length + 3;
      pending.push(below);
    }
  }
  return weight <= most;
}

/** The value in a box, so that the whole of it is a place like any other. */
function read(input: Uint8Array): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(Buffer.from(input).toString()) as unknown };
  } catch {
    return undefined;
  }
}

/** At most 2,000 places, the box first; what lies deeper than 200 is left as it is. */
function places(root: Record<string, unknown>): Place[] {
  const found: Place[] = [];
  const walk = (holder: Place['holder'], depth: number): void => {
    for (const key of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
      if (found.length >= 2_000 || depth > 200) return;
      found.push({ holder, key });
      const below = get({ holder, key });
      if (typeof below === 'object' && below !== null) walk(below as Place['holder'], depth + 1);
    }
  };
  walk(root, 0);
  return found;
}

function get({ holder, key }: Place): unknown {
  return (holder as Record<string | number, unknown>)[key];
}

function set({ holder, key }: Place, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function remove({ holder, key }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else if (!('value' in holder && Object.keys(holder).length === 1)) delete holder[key];
}

type Change = (place: Place, material: Material) => void;

const changes: readonly Change[] = [
  (place, { dice }) => set(place, structuredClone(dice.pick(VALUES))),
  (place, { dice }) => set(place, Number(dice.pick(NUMBERS)) || 0),
  (place, { dice, words }) => set(place, words.length === 0 ? 'a' : dice.pick(words)),
  (place) => remove(place),
  // The same thing once more beside itself, or under another name.
  (place, { dice, words }) => {
    const copy = structuredClone(get(place));
    if (Array.isArray(place.holder)) place.holder.splice(Number(place.key), 0, copy);
    else set({ holder: place.holder, key: name(place, { dice, words }) }, copy);
  },
  (place, { dice, words }) => {
    if (Array.isArray(place.holder) || place.key === 'value') return;
    const value = get(place);
    delete place.holder[place.key];
    set({ holder: place.holder, key: name(place, { dice, words }) }, value);
  },
  // What stands somewhere else in this or another input.
  (place, { dice, other }) => {
    const from = read(other());
    if (from !== undefined) set(place, get(dice.pick(places(from))));
  },
  (place) => set(place, [get(place)]),
  (place, { dice, words }) => set(place, { [name(place, { dice, words })]: get(place) }),
  (place, { dice }) => {
    let value = get(place);
    const isList = dice.below(2) === 0;
    for (let depth = 1 << dice.below(11); depth > 0; depth -= 1) value = isList ? [value] : { a: value };
    set(place, value);
  },
  (place, { dice }) => {
    const value = get(place);
    if (typeof value === 'number') set(place, value + dice.below(3) - 1);
    else if (typeof value === 'boolean') set(place, !value);
    else if (typeof value === 'string') set(place, changedText(value, dice));
    else if (Array.isArray(value))
      set(
        place,
        Array.from({ length: 1 << dice.below(10) }, () => value[0] ?? null),
      );
    else if (typeof value === 'object' && value !== null)
      for (let count = 1 << dice.below(8); count > 0; count -= 1)
        set({ holder: value as Record<string, unknown>, key: `m${count}` }, null);
  },
  (place, { dice }) => {
    const value = get(place);
    if (typeof value !== 'object' || value === null) return;
    const entries = Object.entries(value);
    const at = dice.below(entries.length + 1);
    const turned = [...entries.slice(at), ...entries.slice(0, at)];
    set(place, Array.isArray(value) ? turned.map(([, item]) => item) : Object.fromEntries(turned));
  },
];

function name({ key }: Place, { dice, words }: Pick<Material, 'dice' | 'words'>): string {
  const from = dice.below(4);
  if (from === 0) return `${key}${dice.pick(PIECES)}`;
  return from === 1 || words.length === 0 ? dice.pick(PIECES) : dice.pick(words);
}

function changedText(text: string, dice: Material['dice']): string {
  const at = dice.below(text.length + 1);
  const how = dice.below(4);
  if (how === 0) return text.slice(0, at) + text.slice(at + 1);
  if (how === 1) return text.slice(0, at) + dice.pick(PIECES) + text.slice(at);
  if (how === 2) return text.repeat(1 + dice.below(16)).slice(0, 70_000);
  return text.slice(0, at) + String.fromCharCode(dice.below(256)) + text.slice(at + 1);
}
