import { canonicalJson, isJsonObject, type Json, type Random, randomId } from '@fairlead/base';
import type { Statement } from '@fairlead/store';
import { argumentsDigest, type DigestKey } from '../arguments-digest.ts';
import type { DispatchLog } from '../dispatch-log.ts';
import type { Invocation } from '../invocation.ts';
import type { InvocationError } from '../invocation-error.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalEntry } from '../journal/journal-row.ts';
import type { Principal } from '../principal.ts';
import type { Scope } from '../scopes.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Permission } from '../sessions/permission.ts';
import type { RecordedCall, RecordingSession, SessionRecorder } from '../sessions/session-recorder.ts';
import { namingScope } from './denial.ts';
import { type Ending, notStarted, refusedEnding } from './ending.ts';
import { explain } from './explain.ts';
import { codeOf, invocationOf, refusedInput, refusedWith, unsettled } from './invocation-of.ts';
import { recordedEnd } from './recorded-end.ts';
import type { ReadTask, ToolTask } from './tool-task.ts';

/** One invocation of a tool as a face of the gateway hands it over, its principal already authenticated. */
export type ToolRequest = {
  readonly params: Json;
  readonly principal: Principal;
  readonly recordingSessionId?: string;
  /** Sidecars that the caller asks for beside the answer, by name; at most a few, each name checked by who serves it. */
  readonly context?: readonly string[];
  /** Who waits for the answer. Absent: somebody does, whatever happens. */
  readonly caller?: Caller;
  /**
   * The host has recorded, guarded and decided it as a call of one of its sessions: its row under this id stands without an end, which the host
   * writes. Here the row learns which Runner it is for, and nothing else is written or decided.
   */
  readonly recorded?: {
    readonly call: string;
    /** The row has learnt it with the intent. */
    readonly isAddressed?: boolean;
  };
};

/** What the order of an invocation works with; all of it is the caller's to close. */
export type InvokerOptions = {
  readonly journal: Journal;
  /** Absent = every session id is unknown. */
  readonly sessions?: SessionRecorder;
  /** Who decides in `restricted`. Absent = effects are refused there. */
  readonly permission?: Permission;
  /** Asked before each effect that names no session; in one its guard says so. True = `host_paused`. Absent = never paused. */
  readonly isPaused?: () => boolean;
  readonly random: Random;
  /** `trusted_agent` allows effects, `restricted` asks; anything unknown refuses them. */
  readonly authority: string;
  /** The peer-local key of argument digests. */
  readonly digestKey: DigestKey;
  readonly log?: DispatchLog;
};

/**
 * The order of every invocation of every tool: parse, scope, recording session, guard, decision, intent, dispatch, outcome. Nothing here
 * rejects; each invocation that parses has exactly one row in the journal, and its entries in the session that it names.
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
    const run = async () => notStarted(code);
    return await this.#admit(request, { ...task, run }, code);
  }

  /** A fresh id of an invocation. */
  newCall(): string {
    return randomId('call_', this.#options.random);
  }

  async #admit(request: ToolRequest, task: ToolTask, refused?: string): Promise<Invocation> {
    const { principal, recordingSessionId, recorded } = request;
    const entry = this.#entry(request, task);
    const { scope } = task;
    if (scope !== null && !principal.scopes.includes(scope))
      return await this.#deny(request, entry, scopeError(scope), scope);
    if (recorded !== undefined) return await this.#recordedBefore(request, task, entry);
    if (recordingSessionId !== undefined)
      return await this.#inSession(request, task, entry, recordingSessionId);
    if (refused !== undefined) return await this.#deny(request, entry, denial(refused));
    return task.mayHaveHappened === undefined
      ? await this.#lookUp(entry, task, request)
      : await this.#carryOut(entry, task, request);
  }

  #entry({ principal, recorded }: ToolRequest, { action, subject }: ToolTask): JournalEntry {
    return { id: recorded?.call ?? this.newCall(), principal: principal.id, action, ...subject };
  }

  /** A read: the answer first, its row in the journal behind it. */
  async #lookUp(entry: JournalEntry, task: ToolTask, request: ToolRequest): Promise<Invocation> {
    const ending = await this.#dispatch(entry, task, request);
    this.#options.journal.observe(entry, { certainty: ending.certainty, code: codeOf(ending) });
    return invocationOf(entry, task, ending);
  }

  /** An effect: its intent is on disk before anything is begun, its outcome before anybody is told. */
  async #carryOut(entry: JournalEntry, task: ToolTask, request: ToolRequest): Promise<Invocation> {
    const { journal, permission } = this.#options;
    let also: readonly Statement[] = [];
    if (this.#isHeldBack(task)) return await this.#deny(request, entry, denial('host_paused'));
    if (this.#mustBeDecided(task)) {
      const call = this.#recordedCall(entry, task, request);
      const decided = await this.#decide(call, task, request, null);
      if ('error' in decided) return await this.#deny(request, entry, decided.error);
      // A minute may have gone by.
      if (this.#isHeldBack(task)) return await this.#deny(request, entry, denial('host_paused'));
      const { approval } = decided;
      const use =
        approval === undefined || permission === undefined ? [] : [permission.use(approval, entry.id)];
      // Who is asked about the same call again is told that it ran.
      also = [...use, journal.sameCall(entry.id, { target: call.target, argumentsDigest: call.digest })];
    }
    try {
      // Nothing is begun on an approval that this commit did not use up.
      if (!(await journal.start(entry, also)))
        return await this.#end(entry, task, refusedEnding(this.#expired()));
    } catch {
      return this.#notWritten(entry);
    }
    return await this.#end(entry, task, await this.#dispatch(entry, task, request));
  }

  async #end(entry: JournalEntry, task: ToolTask, ending: Ending): Promise<Invocation> {
    const { journal, log } = this.#options;
    const { id: call, action } = entry;
    const invocation = invocationOf(entry, task, ending);
    try {
      await journal.settle(call, { certainty: ending.certainty, code: codeOf(ending) });
    } catch {
      log?.('error', 'journal.outcome_not_written', { call, action, certainty: ending.certainty });
      return unsettled(invocation, task);
    }
    return invocation;
  }

  /** One that names a session: its entries stand there, under the id of its row. */
  async #inSession(
    request: ToolRequest,
    task: ToolTask,
    entry: JournalEntry,
    id: string,
  ): Promise<Invocation> {
    const { principal } = request;
    // It writes there.
    if (!principal.scopes.includes('session:write'))
      return await this.#deny(request, entry, scopeError('session:write'), 'session:write');
    const opened = await this.#open(id, request);
    if (!opened.ok) return await this.#deny(request, entry, opened.error);
    const { session } = opened;
    const call = this.#recordedCall(entry, task, request);
    const hasEffect = task.mayHaveHappened !== undefined;
    const refusal = await this.#guard(session, call, hasEffect);
    if (refusal !== undefined) return await this.#refuseThere(session, call, refusal);
    return hasEffect
      ? await this.#carryOutThere(session, call, task, request, id)
      : await this.#lookUpThere(session, call, task, request);
  }

  async #lookUpThere(
    session: RecordingSession,
    call: RecordedCall,
    task: ToolTask,
    request: ToolRequest,
  ): Promise<Invocation> {
    const ending = await this.#dispatch(call.entry, task, request);
    const invocation = invocationOf(call.entry, task, ending);
    try {
      const read = { ...call, entry: { ...call.entry, isRead: true } };
      await session.whole(read, recordedEnd(invocation, codeOf(ending)));
    } catch {
      return this.#untold(call.entry, task, invocation);
    }
    return invocation;
  }

  async #carryOutThere(
    session: RecordingSession,
    asked: RecordedCall,
    task: ToolTask,
    request: ToolRequest,
    id: string,
  ): Promise<Invocation> {
    let call = asked;
    if (this.#mustBeDecided(task)) {
      const decided = await this.#decide(call, task, request, id);
      if ('error' in decided) return await this.#refuseThere(session, call, decided.error);
      const { approval } = decided;
      if (approval !== undefined) call = { ...call, approval };
      // A minute may have gone by.
      const meanwhile = await this.#guard(session, call, true);
      if (meanwhile !== undefined) return await this.#refuseThere(session, asked, meanwhile);
    }
    try {
      if (!(await session.begin(call))) return await this.#refuseThere(session, asked, this.#expired());
    } catch {
      return this.#notWritten(call.entry);
    }
    const ending = await this.#dispatch(call.entry, task, request);
    const invocation = invocationOf(call.entry, task, ending);
    try {
      await session.settle(call, recordedEnd(invocation, codeOf(ending)));
    } catch {
      return this.#untold(call.entry, task, invocation);
    }
    return invocation;
  }

  async #refuseThere(
    session: RecordingSession,
    call: RecordedCall,
    error: InvocationError,
  ): Promise<Invocation> {
    const { entry } = call;
    const invocation = refusedWith(entry, error);
    try {
      await session.whole(call, recordedEnd(invocation, error.code));
    } catch {
      this.#options.log?.('error', 'journal.denial_not_written', { call: entry.id, action: entry.action });
    }
    return invocation;
  }

  async #recordedBefore(request: ToolRequest, task: ToolTask, entry: JournalEntry): Promise<Invocation> {
    if (task.mayHaveHappened !== undefined && request.recorded?.isAddressed !== true) {
      try {
        await this.#options.journal.address(entry);
      } catch {
        return this.#notWritten(entry);
      }
    }
    return invocationOf(entry, task, await this.#dispatch(entry, task, request));
  }

  async #open(id: string, { principal, caller }: ToolRequest): ReturnType<SessionRecorder['open']> {
    try {
      const opened = await this.#options.sessions?.open(id, { principal, caller });
      if (opened !== undefined) return opened;
    } catch {
      this.#options.log?.('error', 'dispatch.session_not_read');
    }
    return { ok: false, error: denial('unknown_session_id') };
  }

  async #guard(
    session: RecordingSession,
    { extension }: RecordedCall,
    hasEffect: boolean,
  ): Promise<InvocationError | undefined> {
    try {
      return await session.guard({ hasEffect, ...(extension === undefined ? {} : { extension }) });
    } catch {
      // A guard that cannot decide denies.
      this.#options.log?.('error', 'dispatch.session_not_read');
      return denial('unknown_session_id');
    }
  }

  #mustBeDecided({ isRecords }: ToolTask): boolean {
    return this.#options.authority !== 'trusted_agent' && isRecords !== true;
  }

  /** Paused, where it does more than write into Fairlead's own records: what is said meanwhile waits there. */
  #isHeldBack({ isRecords }: ToolTask): boolean {
    return isRecords !== true && this.#options.isPaused?.() === true;
  }

  /** What was approved, or why it may not run. */
  async #decide(
    call: RecordedCall,
    task: ToolTask,
    { principal, caller }: ToolRequest,
    session: string | null,
  ): Promise<{ readonly approval: string | undefined } | { readonly error: InvocationError }> {
    const { permission, authority, log } = this.#options;
    if (permission === undefined || authority !== 'restricted') return { error: denial('permission_denied') };
    const obstacle = task.obstacle?.(principal);
    if (obstacle !== undefined) return { error: denial(obstacle) };
    const { entry, ...words } = call;
    try {
      const decision = await permission.decide({ ...words, call: entry.id, principal, caller, session });
      if (decision.kind !== 'allowed') return { error: decision.error };
      if (caller?.isLive() === false) return { error: denial('token_ended') };
      return { approval: decision.approval };
    } catch {
      log?.('error', 'dispatch.not_decided', { call: entry.id, action: entry.action });
      return { error: denial('journal_unavailable') };
    }
  }

  #recordedCall(entry: JournalEntry, task: ToolTask, { params }: ToolRequest): RecordedCall {
    const words = task.words?.() ?? {
      tool: task.action,
      tier: 'in_process',
      target: `gateway:${task.action}`,
      arguments: isJsonObject(params) ? params : {},
      risk: task.mayHaveHappened === undefined ? 'low' : 'high',
    };
    const digest =
      entry.argumentsDigest ??
      argumentsDigest(this.#options.digestKey, words.target, canonicalJson(words.arguments));
    return { ...words, entry: { ...entry, argumentsDigest: digest }, digest };
  }

  async #dispatch(entry: JournalEntry, task: ToolTask, { principal, caller }: ToolRequest): Promise<Ending> {
    try {
      return await task.run(principal, entry.id, caller);
    } catch {
      // Whatever failed, it was ours and it may have been after sending.
      this.#options.log?.('error', 'dispatch.failed', { call: entry.id, action: task.action });
      return task.mayHaveHappened === undefined
        ? { certainty: 'not_started', code: 'dispatch_failed', isReadLost: true }
        : { certainty: 'outcome_unknown', code: 'dispatch_failed' };
    }
  }

  /** A refusal before the intent. It stands whether or not its row could be written. */
  async #deny(
    { recorded }: ToolRequest,
    entry: JournalEntry,
    error: InvocationError,
    needsScope?: Scope,
  ): Promise<Invocation> {
    const { id: call, action } = entry;
    const refused: Invocation =
      needsScope === undefined
        ? { action, certainty: 'not_started', error }
        : { action, certainty: 'not_started', error, needsScope };
    if (recorded !== undefined) return { call, ...refused };
    try {
      await this.#options.journal.deny(entry, error.code);
    } catch {
      this.#options.log?.('error', 'journal.denial_not_written', { call, action });
      return refused;
    }
    return { call, ...refused };
  }

  /** An approval that was not used within its time. */
  #expired(): InvocationError {
    return this.#options.permission?.expired ?? denial('permission_denied');
  }

  #notWritten({ id: call, action }: JournalEntry): Invocation {
    this.#options.log?.('error', 'journal.intent_not_written', { call, action });
    return { action, certainty: 'not_started', error: denial('journal_unavailable') };
  }

  #untold({ id: call, action }: JournalEntry, task: ToolTask, invocation: Invocation): Invocation {
    const { certainty } = invocation;
    this.#options.log?.('error', 'journal.outcome_not_written', { call, action, certainty });
    return unsettled(invocation, task);
  }
}

function denial(code: string): InvocationError {
  return explain(code, { certainty: 'not_started' });
}

function scopeError(scope: Scope): InvocationError {
  return namingScope(denial('insufficient_scope'), scope);
}
