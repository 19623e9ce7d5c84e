import type { Clock } from '@fairlead/base';
import type { Runner } from '@fairlead/runner';
import type { CommandContext } from '../command-context.ts';
import { hostLimits } from '../limits.ts';
import { withProgress } from '../output/progress.ts';

/** The Runner is registered and every provider is ready or failed; or 10 s are over, and the slow ones are named. */
export async function untilRunnerReady(
  context: Pick<CommandContext, 'clock' | 'stderr'>,
  runner: Pick<Runner, 'registered' | 'settled' | 'status'>,
): Promise<void> {
  const everything = Promise.all([runner.registered, runner.settled]).then(() => true);
  const starting = () =>
    runner
      .status()
      .filter((row) => row.status === 'starting')
      .map((row) => row.id);
  const inTime = await withProgress(
    context,
    () => `starting ${starting().join(', ') || 'the Runner'}`,
    () => Promise.race([everything, isLate(context.clock)]),
  );
  if (inTime) return;
  const late = starting();
  context.stderr(
    late.length === 0
      ? 'fairlead: the Runner has not registered yet; it goes on trying\n'
      : `fairlead: still starting, and going on: ${late.join(', ')}\n`,
  );
}

function isLate(clock: Clock): Promise<false> {
  return new Promise((resolve) => {
    clock.setTimer(hostLimits.readyMs, () => resolve(false), { unref: true });
  });
}
