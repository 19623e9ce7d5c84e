import type { JsonObject } from '@fairlead/base';
import type { Told } from '../told.ts';

/** One call as a path carries it. */
export type PathCall = {
  readonly tool: 'work' | 'brief';
  /** Of the tool as it was described; the command line describes it itself. */
  readonly binding: string;
  readonly arguments: JsonObject;
};

/**
 * A way by which a call reaches Fairlead. It sends once, waits within bounds, and says what a caller on that way knows afterwards. It
 * never rejects. An agent's turn and a routine will be two more.
 */
export type CallPath = AsyncDisposable & {
  call(call: PathCall): Promise<Told>;
};

/** How long a caller waits: above every budget of the gateway, on the clock of the fault suite. */
export const callerPatienceMs = 20_000;
