/**
 * Freezes plain objects and arrays, and everything below them, and returns the same value. What is neither (a Date that a
 * Standard Schema made, say) is left as it is. The value has no cycle, because it came from JSON or from a parser.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const pending: object[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!Array.isArray(next) && !isPlain(next)) continue;
    Object.freeze(next);
    for (const member of Object.values(next)) {
      if (typeof member === 'object' && member !== null) pending.push(member);
    }
  }
  return value;
}

/** An object literal of any realm, or one without a prototype. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}
