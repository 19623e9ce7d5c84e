/** Whether a handler answered with a promise, of any make. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  // Nearly all are the runtime's own, and asking that first costs least.
  if (value instanceof Promise) return true;
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
