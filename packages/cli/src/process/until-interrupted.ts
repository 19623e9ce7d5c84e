const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a step that a person may break off. Ctrl-C then does not end the process in silence: the step is told, and says what is
 * known about what it began.
 */
export async function untilInterrupted<T>(
  step: (signal: AbortSignal) => Promise<T>,
  source: Pick<NodeJS.Process, 'on' | 'off'> = process,
): Promise<T> {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  for (const name of signals) source.on(name, interrupt);
  try {
    return await step(controller.signal);
  } finally {
    for (const name of signals) source.off(name, interrupt);
  }
}
