import type { Certainty, Json, JsonObject } from '@fairlead/base';
import type { Statement } from '@fairlead/store';
import type { InvocationError } from '../invocation-error.ts';
import type { JournalEntry } from '../journal/journal-row.ts';
import type { Principal } from '../principal.ts';
import type { Caller } from './caller.ts';

/** What is asked of a tool, in the words that a person and a session may have of it: no handle, nothing that opens anything. */
export type TaskWords = {
  /** The name under which callers call it. */
  readonly tool: string;
  /** The extension that must be active in a session for it; absent for the gateway's own. */
  readonly extension?: string;
  readonly tier: 'in_process' | 'native';
  /** Whose it is, and as what it was described: what an approval binds beside the digest. */
  readonly target: string;
  readonly arguments: JsonObject;
  /** What a person is told of the risk. */
  readonly risk: 'low' | 'medium' | 'high';
};

/** An invocation as its session has it, under the id of its row in the journal. */
export type RecordedCall = TaskWords & {
  readonly entry: JournalEntry;
  /** Over target and real arguments, under the peer-local key. */
  readonly digest: string;
  /** What was approved for it, to be used with its intent. */
  readonly approval?: string;
};

/** How it ended. `text`: what the caller was shown. */
export type RecordedEnd = {
  readonly certainty: Certainty;
  readonly code: string | null;
  readonly text: string;
  readonly structured?: Json;
  readonly isError: boolean;
};

/** What was learnt later of a call that had ended unknown. */
export type RecordedSettlement = {
  readonly session: string;
  readonly call: string;
  readonly certainty: Certainty;
  readonly code: string | null;
  readonly text?: string;
};

/** A session that one invocation is recorded in. Every write is one transaction of row and entries, on disk when it resolves. */
export type RecordingSession = {
  /** Why it lets this not run now; asked before the intent, and again once somebody has decided. */
  guard(asked: {
    readonly extension?: string;
    readonly hasEffect: boolean;
  }): Promise<InvocationError | undefined>;
  /** The intent. False: the approval cannot be used any more. Rejects with a code of the store; then nothing may run. */
  begin(call: RecordedCall): Promise<boolean>;
  /** How what was begun ended. Rejects with a code of the store. */
  settle(call: RecordedCall, end: RecordedEnd): Promise<void>;
  /** All of one that needed no intent: a read, or a refusal. Rejects with a code of the store. */
  whole(call: RecordedCall, end: RecordedEnd): Promise<void>;
};

/** The sessions that invocations may be recorded in, implemented by the host. Without one every id is unknown. */
export type SessionRecorder = {
  /**
   * A session, or why nothing may be recorded there: `unknown_session_id`, `session_closed`, `token_limited`. Rejects with a code of the store.
   */
  open(
    session: string,
    by: { readonly principal: Principal; readonly caller: Caller | undefined },
  ): Promise<
    | { readonly ok: true; readonly session: RecordingSession }
    | { readonly ok: false; readonly error: InvocationError }
  >;
  /**
   * Writes what was learnt of a call into its session, with `row` in the same transaction. False where `row` changed nothing: it was learnt before.
   * Rejects with a code of the store.
   */
  settled(settlement: RecordedSettlement, row: Statement): Promise<boolean>;
};
