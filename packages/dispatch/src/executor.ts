import {
  type Certainty,
  type Clock,
  type Json,
  type JsonObject,
  type Random,
  randomId,
} from '@fairlead/base';
import { argumentsDigest, type DigestKey } from './arguments-digest.ts';
import { Bindings } from './bindings.ts';
import type { DispatchLog } from './dispatch-log.ts';
import type { Journal } from './journal/journal.ts';
import type { JournalEntry } from './journal/journal-row.ts';
import { actionForms, isEffect, type PluginToolAction } from './plugin-tool/action.ts';
import { callTool } from './plugin-tool/call.ts';
import { describe } from './plugin-tool/describe.ts';
import { type Ending, notStarted } from './plugin-tool/ending.ts';
import { explain, type InvocationError } from './plugin-tool/explain.ts';
import { type InputFault, type PluginToolInput, readPluginToolInput } from './plugin-tool/input.ts';
import { list } from './plugin-tool/list.ts';
import { check, reload } from './plugin-tool/manage.ts';
import type { Principal } from './principal.ts';
import type { RunnerPort } from './runner-port.ts';
import type { Scope } from './scopes.ts';
import type { SessionRecorder } from './session-recorder.ts';

/** One invocation as a face of the gateway hands it over, its principal already authenticated. */
export type InvocationRequest = {
  readonly tool: 'plugin_tool';
  readonly params: Json;
  readonly principal: Principal;
  readonly recordingSessionId?: string;
};

/**
 * How an invocation ended. `output` and `error` stand together in one case: `journal_unsettled` with `completed`, where the
 * tool's own result must not be lost. `failureKind`: the provider said `isError`; its result is the output.
 */
export type Invocation = {
  /** The journal's id, once there is a row. */
  readonly call?: string;
  readonly action?: PluginToolAction;
  readonly certainty: Certainty;
  readonly output?: JsonObject;
  readonly error?: InvocationError;
  readonly failureKind?: 'plugin_tool_error';
  /** With `insufficient_scope`: the scope that is missing. */
  readonly needsScope?: Scope;
};

/** What the executor works with; all of it is the caller's to close. */
export type ExecutorOptions = {
  readonly runners: RunnerPort;
  readonly journal: Journal;
  /** Absent = every session id is unknown. */
  readonly sessions?: SessionRecorder;
  readonly clock: Clock;
  readonly random: Random;
  /** `trusted_agent` allows call, check and reload; `restricted` and anything unknown refuse them. */
  readonly authority: string;
  /** The peer-local key of argument digests. */
  readonly digestKey: DigestKey;
  readonly log?: DispatchLog;
};

/** The one way to carry out `plugin_tool` (docs/reference/plugin-tool.md). */
export type Executor = {
  /**
   * In this order: parse, scope, recording session, journal intent, decision, dispatch, journal outcome. Never rejects; each
   * invocation that parses has exactly one row in the journal. Errors by code: `dispatchErrors`, `protocolErrors`.
   */
  invoke(request: InvocationRequest): Promise<Invocation>;
};

export function createExecutor(options: ExecutorOptions): Executor {
  const executor = new PluginToolExecutor(options);
  return { invoke: (request) => executor.invoke(request) };
}

class PluginToolExecutor {
  readonly #options: ExecutorOptions;
  readonly #bindings: Bindings;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#bindings = new Bindings(options);
  }

  async invoke(request: InvocationRequest): Promise<Invocation> {
    const parsed = readPluginToolInput(request.params);
    if (!parsed.ok) return refusedInput(parsed.fault);
    const { input } = parsed;
    const { principal } = request;
    const entry = this.#entry(input, principal);
    const { scope } = actionForms[input.action];
    if (!principal.scopes.includes(scope)) return await this.#deny(entry, 'insufficient_scope', scope);
    if (request.recordingSessionId !== undefined && !(await this.#sessionExists(request.recordingSessionId)))
      return await this.#deny(entry, 'unknown_session_id');
    return isEffect(input.action)
      ? await this.#carryOut(entry, input, principal)
      : await this.#lookUp(entry, input, principal);
  }

  #entry(input: PluginToolInput, principal: Principal): JournalEntry {
    const id = randomId('call_', this.#options.random);
    if (input.action !== 'call') return { id, principal: principal.id, bindingPresent: false, ...input };
    const entry = { id, principal: principal.id, action: input.action, bindingPresent: true };
    const observed = this.#bindings.resolve(input.binding);
    if (observed === undefined) return entry;
    const { runner, plugin, tool, target } = observed;
    const digest = argumentsDigest(this.#options.digestKey, target, input.canonicalArguments);
    return { ...entry, runner, plugin, tool, argumentsDigest: digest };
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
  async #lookUp(entry: JournalEntry, input: PluginToolInput, principal: Principal): Promise<Invocation> {
    const ending = await this.#dispatch(entry, input, principal);
    this.#options.journal.observe(entry, { certainty: ending.certainty, code: codeOf(ending) });
    return invocationOf(entry, ending);
  }

  /** An effect: its intent is on disk before anything is begun, its outcome before anybody is told. */
  async #carryOut(entry: JournalEntry, input: PluginToolInput, principal: Principal): Promise<Invocation> {
    const { journal, authority, log } = this.#options;
    const { id: call, action } = entry;
    try {
      await journal.start(entry);
    } catch {
      log?.('error', 'journal.intent_not_written', { call, action });
      const error = explain('journal_unavailable', { certainty: 'not_started', action });
      return { action, certainty: 'not_started', error };
    }
    const ending =
      authority === 'trusted_agent'
        ? await this.#dispatch(entry, input, principal)
        : notStarted('permission_denied');
    const invocation = invocationOf(entry, ending);
    try {
      await journal.settle(call, { certainty: ending.certainty, code: codeOf(ending) });
    } catch {
      log?.('error', 'journal.outcome_not_written', { call, action, certainty: ending.certainty });
      return unsettled(invocation);
    }
    return invocation;
  }

  async #dispatch(entry: JournalEntry, input: PluginToolInput, principal: Principal): Promise<Ending> {
    const { runners, log } = this.#options;
    const call = entry.id;
    try {
      switch (input.action) {
        case 'list':
          return await list(runners, principal, input, call);
        case 'describe':
          return await describe(runners, this.#bindings, principal, input, call);
        case 'call':
          return await callTool(runners, this.#bindings, principal, input, call);
        case 'check':
          return await check(runners, principal, input, call);
        case 'reload':
          return await reload(runners, principal, input, call);
      }
    } catch {
      // Whatever failed, it was ours and it may have been after sending.
      log?.('error', 'dispatch.failed', { call, action: input.action });
      const certainty = isEffect(input.action) ? 'outcome_unknown' : 'not_started';
      return { certainty, code: 'dispatch_failed' };
    }
  }

  /** A refusal before the intent. It stands whether or not its row could be written. */
  async #deny(entry: JournalEntry, code: string, needsScope?: Scope): Promise<Invocation> {
    const { id: call, action } = entry;
    const error = explain(code, { certainty: 'not_started', action });
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

function namingScope(error: InvocationError, scope: Scope): InvocationError {
  return {
    ...error,
    recovery: `Use a token with the scope ${scope}. No scope implies another.`,
    detail: { scope },
  };
}

function refusedInput(fault: InputFault): Invocation {
  const { code, action, detail } = fault;
  const error = explain(code, { certainty: 'not_started', detail });
  if (action === undefined) return { certainty: 'not_started', error };
  return { action, certainty: 'not_started', error: { ...error, recovery: actionForms[action].usage } };
}

function invocationOf(entry: JournalEntry, ending: Ending): Invocation {
  const { id: call, action } = entry;
  if (!('output' in ending)) {
    const { certainty, code } = ending;
    return { call, action, certainty, error: explain(code, { certainty, action }) };
  }
  const answer: Invocation = { call, action, certainty: 'completed', output: ending.output };
  return isToolError(action, ending) ? { ...answer, failureKind: 'plugin_tool_error' } : answer;
}

/** What the journal shows: the fault's code, or that the tool itself reported an error. */
function codeOf(ending: Ending): string | null {
  if (!('output' in ending)) return ending.code;
  return ending.output['isError'] === true ? 'plugin_tool_error' : null;
}

function isToolError(action: PluginToolAction, ending: Ending): boolean {
  return action === 'call' && codeOf(ending) === 'plugin_tool_error';
}

/** The truth, and that the journal lacks it: a completed invocation keeps its output beside the error. */
function unsettled(invocation: Invocation): Invocation {
  const { certainty, action, error } = invocation;
  if (error !== undefined) return { ...invocation, error: { ...error, detail: { journal: 'unsettled' } } };
  const about = action === undefined ? { certainty } : { certainty, action };
  return { ...invocation, error: explain('journal_unsettled', about) };
}
