import type { Json } from '@fairlead/base';
import type { JournalEntry } from '../journal/journal-row.ts';
import type { Principal } from '../principal.ts';
import type { Scope } from '../scopes.ts';
import type { Caller } from '../sessions/caller.ts';
import type { TaskWords } from '../sessions/session-recorder.ts';
import type { Ending } from './ending.ts';

/** What the journal keeps of a task besides who asked and how it ended. */
export type TaskSubject = Pick<
  JournalEntry,
  'runner' | 'runnerInstance' | 'plugin' | 'tool' | 'bindingPresent' | 'argumentsDigest'
>;

/** One thing that a caller asked of a tool, parsed. What it may do is decided by the one order, not by the tool. */
export type ToolTask = {
  /** What the journal calls it: the action of `plugin_tool`, else the name of the tool. */
  readonly action: string;
  /** The scope that it needs; null where every token may. */
  readonly scope: Scope | null;
  readonly subject: TaskSubject;
  /**
   * Where it may change something: what may have happened when its outcome is not known. Such a task is decided on, and
   * journalled before and after; any other is a read, journalled behind its answer.
   */
  readonly mayHaveHappened?: string;
  /** It changes nothing but Fairlead's own records: nobody is asked whether it may. */
  readonly isRecords?: true;
  /** One fixed sentence about its output. */
  readonly summary: string;
  /** What a session and a person are told of it. Absent: the tool of the gateway by its name, with the params as they are. */
  words?(): TaskWords;
  /** Why nothing could come of it now: asked before a person is, who is never asked for what is then refused. */
  obstacle?(principal: Principal): string | undefined;
  /** Carries it out. What it throws is our own fault: unknown for an effect, not started for a read. */
  run(principal: Principal, call: string, caller?: Caller): Promise<Ending>;
};

/** What is wrong with an input. `detail` names the member and the problem, never a value or an unknown name. */
export type TaskFault = {
  readonly code: 'invalid_arguments' | 'invalid_runner';
  readonly action?: string;
  readonly detail: { readonly member?: string; readonly problem: string };
  /** How the tool or the action is used, for whoever got it wrong. */
  readonly usage: string;
};

/** The task that the params ask for, or why they ask for none. */
export type TaskReading =
  | { readonly ok: true; readonly task: ToolTask }
  | { readonly ok: false; readonly fault: TaskFault };

/** Parses the params of one tool. Nothing is coerced, nothing is ignored. */
export type ReadTask = (params: Json) => TaskReading;
