import type { CommandContext } from './command-context.ts';

/** Anything longer than this shows what it is doing. */
const quietMs = 1_000;

/** Runs a step; when it takes longer than a second, says on stderr what is being waited for. */
export async function withProgress<T>(
  context: CommandContext,
  waitingFor: string | (() => string),
  step: () => Promise<T>,
): Promise<T> {
  const timer = context.clock.setTimer(
    quietMs,
    () => context.stderr(`fairlead: ${typeof waitingFor === 'string' ? waitingFor : waitingFor()} …\n`),
    { unref: true },
  );
  try {
    return await step();
  } finally {
    timer.cancel();
  }
}
