import type { JsonObject } from '@fairlead/base';
import type { Invocation } from '../invocation.ts';
import type { InvocationError } from '../invocation-error.ts';
import type { Principal } from '../principal.ts';
import type { Scope } from '../scopes.ts';
import type { Caller } from './caller.ts';

/** A tool of a session's live set, as a client is told of it. */
export type SessionTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject;
  readonly scopes: readonly Scope[];
  readonly extension: string;
  readonly tier: string;
};

/** One call of such a tool, which runs as the session's host agent. */
export type SessionToolCall = {
  /** Minted by whoever received it; the same in the journal, in the session and in the answer. */
  readonly call: string;
  readonly session: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly principal: Principal;
  readonly caller: Caller | undefined;
};

/** The live sets of sessions as clients reach them, implemented by the host. */
export type SessionTools = {
  /** What may be called there now, in the order of the set, or why nothing is told. Rejects with a code of the store. */
  list(
    session: string,
    principal: Principal,
  ): Promise<
    | { readonly ok: true; readonly tools: readonly SessionTool[] }
    | { readonly ok: false; readonly error: InvocationError }
  >;
  /** Guards, decides, records and carries out. Rejects only where nothing ran and that could not be written. */
  call(request: SessionToolCall): Promise<Invocation>;
};
