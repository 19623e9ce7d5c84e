/** Awaits `promise` for at most `limitMs`; then, or when `signal` aborts, rejects and says what was awaited. */
export async function within<T>(
  promise: Promise<T>,
  limitMs: number,
  what: string,
  signal?: AbortSignal,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} took more than ${limitMs} ms`)), limitMs);
  const stop = () => reject(signal?.reason);
  if (signal?.aborted === true) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
