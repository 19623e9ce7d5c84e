import type { CommandContext } from '../command-context.ts';
import { hostLimits } from '../limits.ts';
import { withProgress } from '../output/progress.ts';
import type { HostExtensions } from './host-extensions.ts';

/** Each folder of `fairlead.toml` is loaded or has failed; or 10 s are over, and the host goes on without waiting for it. */
export async function untilExtensionsSettled(
  context: Pick<CommandContext, 'clock' | 'stderr'>,
  { settled }: Pick<HostExtensions, 'settled'>,
): Promise<void> {
  const late = new Promise<false>((resolve) => {
    context.clock.setTimer(hostLimits.readyMs, () => resolve(false), { unref: true });
  });
  const inTime = await withProgress(
    context,
    () => 'loading extensions',
    () => Promise.race([settled.then(() => true), late]),
  );
  if (!inTime) context.stderr('fairlead: still loading extensions, and going on; see `fairlead ext list`\n');
}
