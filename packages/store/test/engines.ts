import type { Clock } from '@fairlead/base';
import { openStore, type Store } from '../src/index.ts';

/** An engine that keeps the log: every test of the peer's interface runs against each of them. */
export type TestEngine = {
  readonly name: string;
  /** Opens the store of a state directory; a second call on the same one finds what the first left. */
  open(stateDirectory: string, clock: Clock): Promise<Store>;
};

export const engines: readonly TestEngine[] = [
  {
    name: 'sqlite',
    open: (stateDirectory, clock) => openStore({ path: `${stateDirectory}/fairlead.db`, clock }),
  },
];
