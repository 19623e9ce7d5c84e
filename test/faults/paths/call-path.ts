import type { JsonObject } from '@fairlead/base';
import type { CallPlan } from '../plan.ts';
import type { Told } from '../told.ts';

/** One call as a path carries it. */
export type PathCall = Pick<CallPlan, 'way' | 'target'> & {
  /** Its number in the round. */
  readonly number: number;
  readonly tool: 'work' | 'brief';
  /** Of the tool as it was described; the command line describes it itself. */
  readonly binding: string;
  readonly arguments: JsonObject;
  /** The session that it is to stand in, and the name of its schedule. */
  readonly session?: string;
  readonly schedule?: string;
  /** To be called when Fairlead has said that it has taken the call on, where it says so before it answers. */
  readonly acknowledged?: () => void;
};

/**
 * A way by which a call reaches Fairlead. It sends once, waits within bounds, and says what a caller on that way knows afterwards. It
 * never rejects.
 */
export type CallPath = AsyncDisposable & {
  call(call: PathCall): Promise<Told>;
};

/** How long a caller waits: above every budget of the gateway, on the clock of the fault suite. */
export const callerPatienceMs = 20_000;
