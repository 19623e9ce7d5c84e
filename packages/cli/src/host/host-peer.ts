import type { Log } from '@fairlead/gateway/log';
import { openPeer, type Peer, type Store } from '@fairlead/store';
import type { CommandContext } from '../command-context.ts';

/** Opens the peer of a state directory; its keys are made at the first start. */
export async function openHostPeer(options: {
  readonly context: Pick<CommandContext, 'clock' | 'random'>;
  readonly stateDirectory: string;
  readonly store: Store;
  readonly log: Log;
}): Promise<Peer> {
  const { context, stateDirectory, store, log } = options;
  const { clock, random } = context;
  return await openPeer({
    store,
    stateDirectory,
    clock,
    random,
    report: (told) => {
      const { code, cause: _, ...fields } = { cause: undefined, ...told };
      // The first author of a folder is no news.
      const level = told.code === 'author_minted' && told.why === 'first' ? 'info' : 'warn';
      log(level, 'store.report', { code, detail: JSON.stringify(fields) });
    },
  });
}
