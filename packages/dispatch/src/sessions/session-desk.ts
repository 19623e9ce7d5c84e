import type { JsonObject } from '@fairlead/base';
import type { InvocationError } from '../invocation-error.ts';
import type { Principal } from '../principal.ts';
import type { Caller } from './caller.ts';

/** What the desk answers: an output, or why nothing was done. */
export type DeskAnswer =
  | { readonly ok: true; readonly output: JsonObject }
  | { readonly ok: false; readonly error: InvocationError };

/** Who asks at the desk. */
export type DeskVisitor = { readonly principal: Principal; readonly caller: Caller | undefined };

/** What clients may do with sessions themselves, implemented by the host. Each rejects with a code of the store. */
export type SessionDesk = {
  list(by: DeskVisitor, wanted: { readonly closed: boolean; readonly limit: number }): Promise<DeskAnswer>;
  create(
    by: DeskVisitor,
    wanted: {
      readonly name?: string;
      readonly agents?: readonly string[];
      readonly mode?: 'normal' | 'inspect' | 'read_only';
    },
  ): Promise<DeskAnswer>;
  /** Entries, newest first. */
  read(
    by: DeskVisitor,
    wanted: { readonly session: string; readonly before?: string; readonly limit: number },
  ): Promise<DeskAnswer>;
  /** The same key in one session answers the same entry. */
  append(
    by: DeskVisitor,
    wanted: {
      readonly session: string;
      readonly text: string;
      readonly key: string;
      readonly agent?: string;
    },
  ): Promise<DeskAnswer>;
};
