import { createLog } from '@fairlead/gateway/log';
import type { CommandContext } from '../command-context.ts';
import { untilExtensionsSettled } from '../extensions/until-extensions-settled.ts';
import { hostLimits } from '../limits.ts';
import { openLogFile } from '../log/log-file.ts';
import { hostLogPath } from '../log/log-path.ts';
import { removeServerFile } from '../state/server-file.ts';
import { type Host, startHost } from './host.ts';
import { loadHostConfig } from './host-config.ts';

/** A host for one command. The caller holds the state directory's lock. Rejects with the codes of its parts. */
export async function openOwnHost(
  context: CommandContext,
  stateDirectory: string,
): Promise<AsyncDisposable & Pick<Host, 'url'>> {
  // One that was killed left its address.
  await removeServerFile(stateDirectory);
  const loaded = await loadHostConfig(context, stateDirectory, {});
  await using stack = new AsyncDisposableStack();
  const logFile = openLogFile(hostLogPath(stateDirectory));
  stack.defer(() => logFile.close());
  const log = createLog({ write: logFile.write, clock: context.clock });
  const config = { ...loaded.config, bind: '127.0.0.1', port: 0, publicUrl: null };
  const host = stack.use(
    await startHost({
      ...{ context, stateDirectory, log },
      loaded: { ...loaded, config },
      alone: true,
      onStop: () => {},
    }),
  );
  const late = new Promise<void>((resolve) => {
    context.clock.setTimer(hostLimits.readyMs, resolve, { unref: true });
  });
  // It answers nothing that waits, so that it may go on without one that is slow.
  if (!(await untilExtensionsSettled(context, host.extensions, late)))
    context.stderr('fairlead: still loading extensions, and going on; see `fairlead ext list`\n');
  const owned = stack.move();
  return { url: host.url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
