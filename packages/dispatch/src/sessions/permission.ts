import type { Statement } from '@fairlead/store';
import type { InvocationError } from '../invocation-error.ts';
import type { Principal } from '../principal.ts';
import type { Caller } from './caller.ts';
import type { TaskWords } from './session-recorder.ts';

/** An effect that somebody must allow first. The same principal, session, target and digest is the same call. */
export type PermissionRequest = TaskWords & {
  readonly call: string;
  readonly principal: Principal;
  readonly caller: Caller | undefined;
  readonly session: string | null;
  readonly digest: string;
};

/** What was decided. `pending`: nobody decided while the call was held; it may be asked for again until `until` (ms since 1970). */
export type PermissionDecision =
  | { readonly kind: 'allowed'; readonly approval?: string }
  | { readonly kind: 'denied'; readonly error: InvocationError }
  | {
      readonly kind: 'pending';
      readonly approval: string;
      readonly until: number;
      readonly error: InvocationError;
    };

/** Who decides where the authority mode is `restricted`, implemented by the host. Without one nothing is allowed there. */
export type Permission = {
  /** Holds the call while somebody may decide. Rejects with a code of the store: then nothing may run. */
  decide(request: PermissionRequest): Promise<PermissionDecision>;
  /** Said of an approval that was not used within its time. */
  readonly expired: InvocationError;
  /** For the transaction of the intent, where it must change exactly one row: an approval serves once, and not too late. */
  use(approval: string, call: string): Statement;
};
