/**
 * Names at which ajv is no judge: it passes over a required member whose name is empty, takes what every object inherits for
 * members that are there, and compares values by their `toString` and `valueOf`.
 */
const NAMES: readonly string[] = ['', ...Object.getOwnPropertyNames(Object.prototype)];

/** Whether ajv can be asked about a schema and a value. */
export function isForAjv(...parts: readonly unknown[]): boolean {
  const text = JSON.stringify(parts);
  return NAMES.every((name) => !text.includes(`"${name}"`));
}
