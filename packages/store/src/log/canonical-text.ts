import { MAX_MEMBER_BYTES, MAX_VALUE_DEPTH, MAX_VALUE_NODES } from '../limits.ts';

/** Why a value has no canonical text. `type` is anything that JSON does not have. */
export type ValueFault = 'depth' | 'nodes' | 'member_bytes' | 'number' | 'surrogate' | 'type';

/** Thrown inside this package only, and turned into a code where a value enters it. */
export class ValueError extends Error {
  readonly fault: ValueFault;

  constructor(fault: ValueFault) {
    super(fault);
    this.fault = fault;
  }
}

const MAX_UNITS_LOOKED_AT = 1_024;

const MAX_NAMES_INSERTED = 16;

type Budget = { nodes: number };

/**
 * The canonical text of a JSON value (RFC 8785: members in UTF-16 code unit order, no space), checked in the same pass
 * against everything that a receiver would refuse: a commit that only its writer accepts would end its author's chain.
 * Members that are `undefined` count as absent. Throws `ValueError`.
 */
export function canonicalText(value: unknown): string {
  return textOf(value, 0, { nodes: 0 });
}

function textOf(value: unknown, depth: number, budget: Budget): string {
  budget.nodes += 1;
  if (budget.nodes > MAX_VALUE_NODES) throw new ValueError('nodes');
  switch (typeof value) {
    case 'string':
      return stringText(value);
    case 'number':
      return numberText(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth === MAX_VALUE_DEPTH) throw new ValueError('depth');
      return Array.isArray(value) ? arrayText(value, depth, budget) : objectText(value, depth, budget);
    default:
      throw new ValueError('type');
  }
}

/** Text that is written as it is: ASCII without control characters, quotation mark and backslash. */
const PLAIN = /^[ !#-[\]-~]*$/;

function stringText(value: string): string {
  // To look at a text of a few lines costs less than to have the engine write it.
  if (value.length <= MAX_UNITS_LOOKED_AT && PLAIN.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) throw new ValueError('surrogate');
  return JSON.stringify(value);
}

/** Integers beyond ±(2^53−1) written as digits are refused: other languages would read another number. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new ValueError('number');
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21)
    throw new ValueError('number');
  return `${value}`;
}

function arrayText(value: readonly unknown[], depth: number, budget: Budget): string {
  let text = '[';
  for (let index = 0; index < value.length; index += 1) {
    if (index > 0) text += ',';
    text += textOf(value[index], depth + 1, budget);
  }
  return `${text}]`;
}

function objectText(value: object, depth: number, budget: Budget): string {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new ValueError('type');
  const members = value as { readonly [name: string]: unknown };
  const names = Object.keys(members);
  sort(names);
  let text = '{';
  for (const name of names) {
    const member = members[name];
    if (member === undefined) continue;
    if (name.length * 3 > MAX_MEMBER_BYTES && Buffer.byteLength(name) > MAX_MEMBER_BYTES)
      throw new ValueError('member_bytes');
    if (text.length > 1) text += ',';
    text += `${stringText(name)}:${textOf(member, depth + 1, budget)}`;
  }
  return `${text}}`;
}

/** UTF-16 code unit order. The engine's own sort costs more than this for the few members that records have. */
function sort(names: string[]): void {
  if (names.length > MAX_NAMES_INSERTED) {
    names.sort();
    return;
  }
  for (let index = 1; index < names.length; index += 1) {
    const name = names[index] as string;
    let place = index;
    for (; place > 0 && (names[place - 1] as string) > name; place -= 1)
      names[place] = names[place - 1] as string;
    names[place] = name;
  }
}
