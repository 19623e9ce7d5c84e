import { isJsonObject } from '@fairlead/base';
import type { Invocation } from '../invocation.ts';
import type { InvocationError } from '../invocation-error.ts';
import type { JournalEntry } from '../journal/journal-row.ts';
import type { Ending } from './ending.ts';
import { explain } from './explain.ts';
import type { TaskFault, ToolTask } from './tool-task.ts';

/** An input that asks for nothing that the tool does. It has no row: there is nothing to record. */
export function refusedInput({ code, action, detail, usage }: TaskFault): Invocation {
  const error = { ...explain(code, { certainty: 'not_started', detail }), recovery: usage };
  return action === undefined
    ? { certainty: 'not_started', error }
    : { action, certainty: 'not_started', error };
}

/** How a task ended, as its caller is told. */
export function invocationOf(entry: JournalEntry, task: ToolTask, ending: Ending): Invocation {
  const { id: call, action } = entry;
  if (!('output' in ending)) {
    const { certainty, code, message, detail, isReadLost, next } = ending;
    const { mayHaveHappened } = task;
    const error = explain(code, { certainty, mayHaveHappened, isReadLost, message, detail, next });
    return { call, action, certainty, error };
  }
  const { output, isProviderResult } = ending;
  if (isProviderResult === undefined)
    return { call, action, certainty: 'completed', output, summary: task.summary };
  const answer: Invocation = { call, action, certainty: 'completed', output, isProviderResult };
  return isToolError(ending) ? { ...answer, failureKind: 'plugin_tool_error' } : answer;
}

/** A refusal with words of its own. */
export function refusedWith({ id: call, action }: JournalEntry, error: InvocationError): Invocation {
  return { call, action, certainty: 'not_started', error };
}

/** What the journal shows: the fault's code, or that the tool itself reported an error. */
export function codeOf(ending: Ending): string | null {
  if (!('output' in ending)) return ending.code;
  return isToolError(ending) ? 'plugin_tool_error' : (ending.journalCode ?? null);
}

function isToolError(ending: Extract<Ending, { readonly output: unknown }>): boolean {
  return ending.isProviderResult === true && ending.output['isError'] === true;
}

/** The truth, and that the journal lacks it: a completed invocation keeps its output beside the error. */
export function unsettled(invocation: Invocation, { mayHaveHappened }: ToolTask): Invocation {
  const { certainty, error } = invocation;
  if (error !== undefined) {
    const detail = { ...(isJsonObject(error.detail) ? error.detail : {}), journal: 'unsettled' };
    return { ...invocation, error: { ...error, detail } };
  }
  return { ...invocation, error: explain('journal_unsettled', { certainty, mayHaveHappened }) };
}
