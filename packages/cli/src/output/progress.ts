import type { CommandContext } from '../command-context.ts';
import { outputLimits } from '../limits.ts';

/** Runs a step; when it takes longer than a second, says on stderr what is being waited for. */
export async function withProgress<T>(
  context: Pick<CommandContext, 'clock' | 'stderr'>,
  waitingFor: string | (() => string),
  step: () => Promise<T>,
): Promise<T> {
  const timer = context.clock.setTimer(
    outputLimits.quietMs,
    () => context.stderr(`fairlead: ${typeof waitingFor === 'string' ? waitingFor : waitingFor()} …\n`),
    { unref: true },
  );
  try {
    return await step();
  } finally {
    timer.cancel();
  }
}
