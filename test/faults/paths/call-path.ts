import type { JsonObject } from '@fairlead/base';
import type { CallPlan } from '../plan.ts';
import type { Told } from '../told.ts';

/** One call as a path carries it. */
export type PathCall = Pick<CallPlan, 'way' | 'target'> & {
  /** Who makes it, where an agent does. */
  readonly agent: string;
  readonly tool: 'work' | 'brief';
  /** Of the tool as it was described; the command line describes it itself. */
  readonly binding: string;
  readonly arguments: JsonObject;
  /** The session that it is to stand in, and the name of its schedule. */
  readonly session?: string;
  readonly schedule?: string;
  /** Something may keep it from coming to its end, or its moment from coming. */
  readonly isAttacked: boolean;
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

/** How long a caller waits: above every budget of the gateway, on the clock of the fault suite. Whose timer ends the wait was told nothing: `late`. */
export const callerPatienceMs = 20_000;

/** What a caller knows whose patience has ended, of something that was sent. */
export const outOfPatience = { kind: 'late', reason: `no answer in ${callerPatienceMs} ms` } as const;
