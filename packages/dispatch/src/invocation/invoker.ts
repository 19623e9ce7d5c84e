import { isJsonObject, type Json, type Random, randomId } from '@fairlead/base';
import type { DispatchLog } from '../dispatch-log.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalEntry } from '../journal/journal-row.ts';
import type { Principal } from '../principal.ts';
import type { Scope } from '../scopes.ts';
import type { SessionRecorder } from '../session-recorder.ts';
import { namingScope } from './denial.ts';
import { type Ending, notStarted } from './ending.ts';
import { explain } from './explain.ts';
import type { Invocation } from './invocation.ts';
import type { ReadTask, TaskFault, ToolTask } from './tool-task.ts';

/** One invocation of a tool as a face of the gateway hands it over, its principal already authenticated. */
export type ToolRequest = {
  readonly params: Json;
  readonly principal: Principal;
  readonly recordingSessionId?: string;
  /** Sidecars that the caller asks for beside the answer, by name; at most a few, each name checked by who serves it. */
  readonly context?: readonly string[];
};

/** What the order of an invocation works with; all of it is the caller's to close. */
export type InvokerOptions = {
  readonly journal: Journal;
  /** Absent = every session id is unknown. */
  readonly sessions?: SessionRecorder;
  readonly random: Random;
  /** `trusted_agent` allows effects; `restricted` and anything unknown refuse them. */
  readonly authority: string;
  readonly log?: DispatchLog;
};

/**
 * The order of every invocation of every tool: parse, scope, recording session, journal intent, decision, dispatch, journal
 * outcome. Nothing here rejects; each invocation that parses has exactly one row in the journal.
 */
export class Invoker {
  readonly #options: InvokerOptions;

  constructor(options: InvokerOptions) {
    this.#options = options;
  }

  async invoke(request: ToolRequest, read: ReadTask): Promise<Invocation> {
    const reading = read(request.params);
    return reading.ok ? await this.#admit(request, reading.task) : refusedInput(reading.fault);
  }

  /** Refuses what was read, in the same order and with the same row as any other refusal. */
  async refuse(request: ToolRequest, task: Omit<ToolTask, 'run'>, code: string): Promise<Invocation> {
    const entry = this.#entry(request, task);
    return (await this.#refusal(request, entry, task)) ?? (await this.#deny(entry, code));
  }

  async #admit(request: ToolRequest, task: ToolTask): Promise<Invocation> {
    const entry = this.#entry(request, task);
    const refusal = await this.#refusal(request, entry, task);
    if (refusal !== null) return refusal;
    return task.mayHaveHappened === undefined
      ? await this.#lookUp(entry, task, request.principal)
      : await this.#carryOut(entry, task, request.principal);
  }

  #entry({ principal }: ToolRequest, { action, subject }: Omit<ToolTask, 'run'>): JournalEntry {
    return { id: randomId('call_', this.#options.random), principal: principal.id, action, ...subject };
  }

  async #refusal(
    { principal, recordingSessionId }: ToolRequest,
    entry: JournalEntry,
    { scope }: Omit<ToolTask, 'run'>,
  ): Promise<Invocation | null> {
    if (scope !== null && !principal.scopes.includes(scope))
      return await this.#deny(entry, 'insufficient_scope', scope);
    if (recordingSessionId !== undefined && !(await this.#sessionExists(recordingSessionId)))
      return await this.#deny(entry, 'unknown_session_id');
    return null;
  }

  async #sessionExists(sessionId: string): Promise<boolean> {
    try {
      return (await this.#options.sessions?.exists(sessionId)) ?? false;
    } catch {
      this.#options.log?.('error', 'dispatch.session_not_read');
      return false;
    }
  }

  /** A read: the answer first, its row in the journal behind it. */
  async #lookUp(entry: JournalEntry, task: ToolTask, principal: Principal): Promise<Invocation> {
    const ending = await this.#dispatch(entry, task, principal);
    this.#options.journal.observe(entry, { certainty: ending.certainty, code: codeOf(ending) });
    return invocationOf(entry, task, ending);
  }

  /** An effect: its intent is on disk before anything is begun, its outcome before anybody is told. */
  async #carryOut(entry: JournalEntry, task: ToolTask, principal: Principal): Promise<Invocation> {
    const { journal, authority, log } = this.#options;
    const { id: call, action } = entry;
    try {
      await journal.start(entry);
    } catch {
      log?.('error', 'journal.intent_not_written', { call, action });
      const error = explain('journal_unavailable', { certainty: 'not_started' });
      return { action, certainty: 'not_started', error };
    }
    const ending =
      authority === 'trusted_agent'
        ? await this.#dispatch(entry, task, principal)
        : notStarted('permission_denied');
    const invocation = invocationOf(entry, task, ending);
    try {
      await journal.settle(call, { certainty: ending.certainty, code: codeOf(ending) });
    } catch {
      log?.('error', 'journal.outcome_not_written', { call, action, certainty: ending.certainty });
      return unsettled(invocation, task);
    }
    return invocation;
  }

  async #dispatch(entry: JournalEntry, task: ToolTask, principal: Principal): Promise<Ending> {
    try {
      return await task.run(principal, entry.id);
    } catch {
      // Whatever failed, it was ours and it may have been after sending.
      this.#options.log?.('error', 'dispatch.failed', { call: entry.id, action: task.action });
      return task.mayHaveHappened === undefined
        ? { certainty: 'not_started', code: 'dispatch_failed', isReadLost: true }
        : { certainty: 'outcome_unknown', code: 'dispatch_failed' };
    }
  }

  /** A refusal before the intent. It stands whether or not its row could be written. */
  async #deny(entry: JournalEntry, code: string, needsScope?: Scope): Promise<Invocation> {
    const { id: call, action } = entry;
    const error = explain(code, { certainty: 'not_started' });
    const denial: Invocation =
      needsScope === undefined
        ? { action, certainty: 'not_started', error }
        : { action, certainty: 'not_started', error: namingScope(error, needsScope), needsScope };
    try {
      await this.#options.journal.deny(entry, code);
    } catch {
      this.#options.log?.('error', 'journal.denial_not_written', { call, action });
      return denial;
    }
    return { call, ...denial };
  }
}

/** An input that asks for nothing that the tool does. It has no row: there is nothing to record. */
export function refusedInput({ code, action, detail, usage }: TaskFault): Invocation {
  const error = { ...explain(code, { certainty: 'not_started', detail }), recovery: usage };
  return action === undefined
    ? { certainty: 'not_started', error }
    : { action, certainty: 'not_started', error };
}

function invocationOf(entry: JournalEntry, task: ToolTask, ending: Ending): Invocation {
  const { id: call, action } = entry;
  if (!('output' in ending)) {
    const { certainty, code, message, detail, isReadLost } = ending;
    const { mayHaveHappened } = task;
    const error = explain(code, { certainty, mayHaveHappened, isReadLost, message, detail });
    return { call, action, certainty, error };
  }
  const { output, isProviderResult } = ending;
  if (isProviderResult === undefined)
    return { call, action, certainty: 'completed', output, summary: task.summary };
  const answer: Invocation = { call, action, certainty: 'completed', output, isProviderResult };
  return isToolError(ending) ? { ...answer, failureKind: 'plugin_tool_error' } : answer;
}

/** What the journal shows: the fault's code, or that the tool itself reported an error. */
function codeOf(ending: Ending): string | null {
  if (!('output' in ending)) return ending.code;
  return isToolError(ending) ? 'plugin_tool_error' : (ending.journalCode ?? null);
}

function isToolError(ending: Extract<Ending, { readonly output: unknown }>): boolean {
  return ending.isProviderResult === true && ending.output['isError'] === true;
}

/** The truth, and that the journal lacks it: a completed invocation keeps its output beside the error. */
function unsettled(invocation: Invocation, { mayHaveHappened }: ToolTask): Invocation {
  const { certainty, error } = invocation;
  if (error !== undefined) {
    const detail = { ...(isJsonObject(error.detail) ? error.detail : {}), journal: 'unsettled' };
    return { ...invocation, error: { ...error, detail } };
  }
  return { ...invocation, error: explain('journal_unsettled', { certainty, mayHaveHappened }) };
}
