import type { Json } from '@fairlead/base';

/** What a text is: its value, its size in the numbers that bound it, and what makes it unusable although it is JSON. */
export type StrictJson = {
  readonly value: Json;
  /** Values, not names. */
  readonly nodes: number;
  /** Containers around the deepest value; one that is empty has no value inside. */
  readonly depth: number;
  /** UTF-8 bytes of the longest text and of the longest name. */
  readonly stringBytes: number;
  readonly keyBytes: number;
  readonly faults: ReadonlySet<StrictFault>;
};

type StrictFault = 'duplicate_key' | 'lone_surrogate' | 'number_not_finite' | 'integer_out_of_range';

/**
 * Strict JSON by Node's parser, and by the tokens of what it has taken: the scanner reads bytes by hand, and shares nothing with
 * this. Undefined where the bytes are not UTF-8, or not JSON.
 */
export function readStrictly(bytes: Uint8Array): StrictJson | undefined {
  let text: string;
  let value: Json;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  const faults = new Set<StrictFault>();
  let [names, nodes, level, depth, stringBytes, keyBytes] = [0, 0, 0, 0, 0, 0];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === ']' || token === '}') {
      level -= 1;
      continue;
    }
    const isText = token.startsWith('"');
    const read = isText ? (JSON.parse(token) as string) : '';
    if (!read.isWellFormed()) faults.add('lone_surrogate');
    if (isText && isName(text, index + token.length)) {
      names += 1;
      keyBytes = Math.max(keyBytes, Buffer.byteLength(read));
      continue;
    }
    nodes += 1;
    depth = Math.max(depth, level);
    stringBytes = Math.max(stringBytes, Buffer.byteLength(read));
    if (token === '[' || token === '{') level += 1;
    else if (/^-?\d+$/.test(token)) {
      if (!isSafe(BigInt(token))) faults.add('integer_out_of_range');
    } else if (/^[-\d]/.test(token) && !Number.isFinite(Number(token))) faults.add('number_not_finite');
  }
  // Of a name that stands twice in one object the parser keeps one member.
  if (membersOf(value) !== names) faults.add('duplicate_key');
  return { value, nodes, depth, stringBytes, keyBytes, faults };
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[a-z]+|[[\]{}]/g;

/** Whether the text token that ends at a place is the name of a member. */
function isName(text: string, end: number): boolean {
  const next = /[^ \t\r\n]/g;
  next.lastIndex = end;
  return next.exec(text)?.[0] === ':';
}

function isSafe(integer: bigint): boolean {
  const most = 2n ** 53n - 1n;
  return integer >= -most && integer <= most;
}

/** Without recursion: a text may nest as deep as it is long. */
function membersOf(root: Json): number {
  let members = 0;
  const left = [root];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const inside = Object.values(value) as Json[];
    if (!Array.isArray(value)) members += inside.length;
    for (const below of inside) left.push(below);
  }
  return members;
}
