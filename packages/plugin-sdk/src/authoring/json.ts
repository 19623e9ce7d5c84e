/** A value that JSON can hold: all that travels between a plugin and its Runner. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** An object of {@link JsonValue}s. */
export type JsonObject = { readonly [key: string]: JsonValue };

/**
 * A deep-frozen copy of `value`, so that what an author changes afterwards never reaches the wire.
 *
 * Members that are `undefined` are left out, as JSON would. Copying by entries keeps a member called
 * `__proto__` as plain data.
 *
 * @throws TypeError for a value that JSON cannot hold (a function, a symbol, a bigint, NaN, an infinity).
 */
export function frozenJson(value: unknown): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenJson));
  if (typeof value === 'object') {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.freeze(Object.fromEntries(members.map(([key, member]) => [key, frozenJson(member)])));
  }
  throw new TypeError(`JSON cannot hold a ${typeof value} such as ${String(value)}`);
}
