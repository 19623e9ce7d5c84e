/** A JSON scalar. Numbers are finite. */
export type JsonScalar = null | boolean | number | string;

/** Any JSON value. Read-only: parsed values are shared, never edited in place. */
export type Json = JsonScalar | readonly Json[] | JsonObject;

/** A JSON object. Members may be absent, so indexing gives `undefined` too. */
export type JsonObject = { readonly [key: string]: Json };

/** True for an object that is neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON equality: same type, same members in any order, numbers by value (1 and 1.0 are one value). */
export function jsonEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item: Json, index) => jsonEqual(item, right[index]));
  }
  const leftObject = left as JsonObject;
  const rightObject = right as JsonObject;
  const keys = Object.keys(leftObject);
  if (keys.length !== Object.keys(rightObject).length) return false;
  return keys.every((key) => Object.hasOwn(rightObject, key) && jsonEqual(leftObject[key], rightObject[key]));
}

/** Freezes a JSON value and everything below it; returns the same value. */
export function deepFreeze<T extends Json>(value: T): T {
  const pending: unknown[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    // A frozen parent says nothing about what it holds, so everything is walked; a JSON value has no cycle.
    Object.freeze(next);
    for (const member of Object.values(next))
      if (member !== null && member !== undefined) pending.push(member);
  }
  return value;
}
