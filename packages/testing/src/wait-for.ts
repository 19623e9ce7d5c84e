export type WaitOptions = {
  /** How long to go on looking. Default 20,000 ms: it only catches hanging, on a loaded machine too. */
  readonly timeoutMs?: number;
  /** Between two looks. Default: a tenth of the time waited so far, between 5 and 50 ms, so that a long wait costs little. */
  readonly intervalMs?: number;
  /** What was awaited, for the failure's message. */
  readonly what: string;
};

/**
 * Looks until `condition` gives something truthy, and returns that. Only for what has no event to await. Rejects with
 * `what` after `timeoutMs`; an error of the condition is passed on at once.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitOptions,
): Promise<Exclude<T, false | null | undefined | 0 | ''>> {
  const { timeoutMs = 20_000, intervalMs } = options;
  const start = performance.now();
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<T, false | null | undefined | 0 | ''>;
    const waited = performance.now() - start;
    if (waited >= timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain: ${options.what}`);
    await new Promise<void>((resolve) =>
      setTimeout(resolve, intervalMs ?? Math.min(50, Math.max(5, waited / 10))),
    );
  }
}
