import type { CommandContext } from '../command-context.ts';
import { withProgress } from '../output/progress.ts';
import type { HostExtensions } from './host-extensions.ts';

/** True when each folder of `fairlead.toml` is loaded or has failed; false where whoever waits gives up before. */
export async function untilExtensionsSettled(
  context: Pick<CommandContext, 'clock' | 'stderr'>,
  { settled }: Pick<HostExtensions, 'settled'>,
  givenUp: Promise<unknown>,
): Promise<boolean> {
  return await withProgress(context, 'loading extensions', () =>
    Promise.race([settled.then(() => true), givenUp.then(() => false)]),
  );
}
