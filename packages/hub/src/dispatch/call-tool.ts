import { type Fault, failed, type Json, type JsonObject } from '@fairlead/base';
import {
  blockText,
  type CallContext,
  type CallOutcome,
  callFaultText,
  carryTool,
  extensionErrors,
  faultText,
  type GateResult,
  hasValue,
  type NormalOutput,
} from '@fairlead/extension/runtime';
import { hubErrors } from '../errors.ts';
import { type LiveSet, LiveSetLease } from '../live/live-set.ts';
import type { LiveSnapshot } from '../live/live-snapshot.ts';
import type { LiveTool, OwnedTool } from '../live/live-tool.ts';
import { eitherSignal } from './either-signal.ts';
import { notFound } from './find-tool.ts';
import { hostFault, refusalOf } from './refusal.ts';

/** What the host says of a call whose arguments are final: it runs, or it was never started and why. */
export type Decision =
  /** `timeoutMs` stands in the place of the tool's own. */
  { readonly kind: 'run'; readonly timeoutMs?: number } | { readonly kind: 'refuse'; readonly fault: Fault };

/** A call as the host is shown it before it runs: these are the arguments that run. */
export interface FinalCall {
  readonly call: string;
  readonly tool: LiveTool;
  readonly args: JsonObject;
  /** Extensions whose gates changed the arguments. */
  readonly rewrittenBy: readonly string[];
}

export interface ToolRequest {
  readonly tool: string;
  /** As they came. */
  readonly args: Json;
  /** `call_…`, unique. */
  readonly call: string;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Lines of progress. */
  readonly onProgress?: (text: string) => void;
  /**
   * Rate limits, grants, approval, the intent: after the gates, before the tool. Absent is allowed. Its throw is a refusal. `signal` aborts with the
   * call's own and when its session closes: whatever it waits for is over then.
   */
  readonly decide?: (call: FinalCall, signal: AbortSignal) => Decision | Promise<Decision>;
  /**
   * Writes down how the call ended, before any `toolResult` hook; what it returns, such as redacted text, goes on. Asked for every call that
   * the gates saw, what they blocked and what was refused among them.
   */
  readonly settle?: (
    outcome: CallOutcome<NormalOutput>,
    call: FinalCall,
  ) => CallOutcome<NormalOutput> | undefined | Promise<CallOutcome<NormalOutput> | undefined>;
}

/** How a tool call ended, in one form: with a fault the text says its code, message and block. */
export interface ToolEnd extends NormalOutput {
  readonly certainty: CallOutcome<unknown>['certainty'];
  /** Why there is no value of the tool's own. */
  readonly code?: string;
  /** What the code adds; a text under `partial` stands in `text` too. */
  readonly detail?: Fault['detail'];
  /** The final arguments, where they got so far. */
  readonly args?: JsonObject;
  /** Whose `toolCall` changed the arguments, and whose `toolResult` the text. */
  readonly rewrittenBy: readonly string[];
  readonly changedBy: readonly string[];
}

/**
 * Calls a tool of a live set: find → parse → gates → decide → run under the tool's budget → settle → result hooks. Never rejects. What was
 * refused before the tool's handler was entered is `not_started`; the hooks of the result see every call that the gates saw.
 */
export async function callTool(set: LiveSet, request: ToolRequest): Promise<ToolEnd> {
  const snapshot = LiveSetLease.snapshotOf(set);
  const { session } = snapshot.turn;
  if (session === undefined || session.isClosing)
    return refused('session_not_open', hubErrors.session_not_open.message);
  session.enter();
  try {
    return await new ToolRun(snapshot, request, eitherSignal(request.signal, session.signal)).run();
  } finally {
    session.leave();
  }
}

type OwnCall = FinalCall & { readonly tool: OwnedTool };

class ToolRun {
  readonly #snapshot: LiveSnapshot;
  readonly #request: ToolRequest;
  readonly #signal: AbortSignal;

  constructor(snapshot: LiveSnapshot, request: ToolRequest, signal: AbortSignal) {
    this.#snapshot = snapshot;
    this.#request = request;
    this.#signal = signal;
  }

  async run(): Promise<ToolEnd> {
    const { tool: name, args } = this.#request;
    const tool = this.#snapshot.tools.get(name);
    if (tool === undefined) {
      const { code, message } = notFound(this.#snapshot, name).fault;
      return refused(code, message);
    }
    const refusal = refusalOf(tool.instance);
    if (refusal !== undefined) return refused(refusal.code, refusal.message);
    const parsed = tool.parse(args);
    if (!parsed.ok) {
      const message = `${extensionErrors.tool_arguments_invalid.message} (${faultText(parsed.fault)})`;
      return refused('tool_arguments_invalid', message);
    }
    const given = parsed.value as JsonObject;
    const gates = await this.#gates(tool, given);
    const final: OwnCall =
      gates.kind === 'pass'
        ? { call: this.#request.call, tool, args: gates.args, rewrittenBy: gates.rewrittenBy }
        : { call: this.#request.call, tool, args: given, rewrittenBy: [] };
    const outcome =
      gates.kind === 'pass'
        ? await this.#decided(final)
        : failed('not_started', gates.code, blockText(gates));
    return await this.#told(endOf(await this.#settled(outcome, final), final, gates), final);
  }

  async #gates(tool: OwnedTool, args: JsonObject): Promise<GateResult> {
    const { fired, turn } = this.#snapshot;
    const { targets, readiness } = fired.tool_call;
    const wait = turn.ready(readiness);
    if (wait !== undefined) await wait;
    return turn.engine.hooks.toolCall(
      targets,
      { tool: tool.name, owner: tool.owner, args },
      (changed) => tool.parse(changed),
      { signal: this.#signal },
    );
  }

  async #decided(final: OwnCall): Promise<CallOutcome<NormalOutput>> {
    const { decide } = this.#request;
    if (decide === undefined) return await this.#run(final);
    let decision: Decision;
    try {
      decision = await decide(final, this.#signal);
    } catch (error) {
      return failed('not_started', ...hostFault('call_not_decided', error));
    }
    if (decision.kind === 'refuse') return { certainty: 'not_started', fault: decision.fault };
    return await this.#run(final, decision.timeoutMs);
  }

  async #run(
    { call, tool, args }: OwnCall,
    budgetMs = tool.contribution.timeout_ms,
  ): Promise<CallOutcome<NormalOutput>> {
    const { turn } = this.#snapshot;
    const { engine } = turn;
    const cell = turn.cell(tool.prepared);
    const wait = turn.refresh(cell);
    if (wait !== undefined) await wait;
    // Asked again: somebody may have taken minutes to approve.
    const refusal = refusalOf(tool.instance, cell.fault);
    if (refusal !== undefined) return failed('not_started', refusal.code, refusal.message);
    const context: CallContext = cell.begin({
      deadlineMs: engine.clock.monotonicMs() + budgetMs,
      onProgress: this.#request.onProgress,
    });
    const { foreign, revision } = tool.contribution;
    // What was looked at, and nothing that took its name since.
    const looked = {
      ...(foreign === undefined ? {} : { target: foreign.target }),
      ...(revision === undefined ? {} : { revision }),
    };
    return await carryTool(
      tool.instance.extension.carrier,
      {
        call,
        instance: tool.instance.id,
        endpoint: 'tool',
        name: tool.name,
        ...looked,
        input: args,
        context,
      },
      { wheel: engine.wheel, budgetMs, signal: this.#signal },
    );
  }

  async #settled(outcome: CallOutcome<NormalOutput>, final: OwnCall): Promise<CallOutcome<NormalOutput>> {
    const { settle } = this.#request;
    if (settle === undefined) return outcome;
    try {
      return (await settle(outcome, final)) ?? outcome;
    } catch (error) {
      // What is not on disk was not said.
      const certainty = outcome.certainty === 'not_started' ? 'not_started' : 'outcome_unknown';
      return failed(certainty, ...hostFault('call_not_settled', error));
    }
  }

  async #told(ended: ToolEnd, { tool, args }: OwnCall): Promise<ToolEnd> {
    const { fired, turn } = this.#snapshot;
    const { targets, readiness } = fired.tool_result;
    if (targets.length === 0) return ended;
    const wait = turn.ready(readiness);
    if (wait !== undefined) await wait;
    const { text, changedBy } = await turn.engine.hooks.toolResult(targets, {
      tool: tool.name,
      owner: tool.owner,
      args,
      text: ended.text,
      isError: ended.isError,
    });
    if (changedBy.length === 0) return ended;
    const { data: _data, detail: _detail, ...rest } = ended;
    return { ...rest, text, changedBy };
  }
}

function endOf(
  outcome: CallOutcome<NormalOutput>,
  { args, rewrittenBy }: FinalCall,
  gates: GateResult,
): ToolEnd {
  if (hasValue(outcome)) {
    // Each member by its name: nothing that came with the answer stands where the host says something.
    const { text, data, isError } = outcome.value;
    const said = data === undefined ? { text, isError } : { text, data, isError };
    return { ...said, args, rewrittenBy, changedBy: [], certainty: 'completed' };
  }
  const { certainty, fault } = outcome;
  // A block is said in the extension's own words.
  const isBlock = gates.kind === 'block' && fault.code === gates.code;
  const text = isBlock ? fault.message : callFaultText(fault);
  const ended = { certainty, code: fault.code, text, isError: true, args, rewrittenBy, changedBy: [] };
  return fault.detail === undefined ? ended : { ...ended, detail: fault.detail };
}

/** Refused before any gate was asked. */
function refused(code: string, message: string): ToolEnd {
  const text = `${code}: ${message}`;
  return { certainty: 'not_started', code, text, isError: true, rewrittenBy: [], changedBy: [] };
}
