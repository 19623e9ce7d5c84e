import { FairleadError, type Fault, type JsonObject } from '@fairlead/base';
import { type CallOutcome, extensionErrors, type NormalOutput } from '@fairlead/extension/runtime';
import {
  callTool,
  type Decision,
  type FinalCall,
  findTool,
  type LiveTool,
  type ToolEnd,
  type ToolRequest,
} from '@fairlead/hub';
import type { Effect, ToolPolicy } from '../policy/tool-policy.ts';
import type { CallEnd, CallRequest } from './call-end.ts';
import type { CallFloor } from './call-floor.ts';
import type { CallPlace } from './call-place.ts';
import { CallRecord } from './call-record.ts';
import { type CallWords, isTooLarge, refusedWords, wordsOf } from './call-words.ts';
import { type JudgedCall, mayRun } from './may-run.ts';
import { policyOfCall } from './policy-of-tool.ts';
import { CANCELLED, refusal, refusalNow } from './refusal-now.ts';
import { type Said, screenOutcome } from './screen-outcome.ts';

/**
 * One tool call of a session, in the order of docs/reference/tool-calls.md: looked up, guarded, parsed, judged by extensions, held against grants,
 * approved where somebody must, written down, run, and its end written down. What is refused has its two entries. Rejects only where nothing ran
 * and the store cannot write that.
 */
export async function runCall(floor: CallFloor, place: CallPlace, request: CallRequest): Promise<CallEnd> {
  return await new CallRun(floor, place, request).run();
}

/** A tool that is there, and what holds for it. */
interface Known {
  readonly tool: LiveTool;
  readonly policy: ToolPolicy;
}

/** What becomes of a call before extensions are asked. */
type Before =
  | { readonly ok: true; readonly known: Known; readonly args: JsonObject }
  | { readonly ok: false; readonly fault: Fault; readonly words: CallWords; readonly effect: Effect };

class CallRun {
  readonly #floor: CallFloor;
  readonly #place: CallPlace;
  readonly #request: CallRequest;
  readonly #record: CallRecord;
  /** Of the arguments that are final. */
  #words: CallWords | undefined;
  /** The host's own refusal: hooks of the result may change its words, never what it was. */
  #refused: Fault | undefined;
  /** How it ended, as it was settled. */
  #said: Said | undefined;
  #over: (() => void) | undefined;

  constructor(floor: CallFloor, place: CallPlace, request: CallRequest) {
    this.#floor = floor;
    this.#place = place;
    this.#request = request;
    this.#record = new CallRecord(floor, place, request);
  }

  async run(): Promise<CallEnd> {
    const before = await this.#before();
    if (!before.ok) {
      const { fault, words, effect } = before;
      const { said } = this.#screen({ certainty: 'not_started', fault });
      await this.#record.refuse(words, said, []);
      return this.#end(said, effect);
    }
    const { known, args } = before;
    try {
      const ended = await callTool(this.#place.set, this.#toolRequest(known, args));
      return await this.#ended(ended, known);
    } finally {
      this.#over?.();
    }
  }

  /** Everything that needs no extension: nothing of it is told to a hook. */
  async #before(): Promise<Before> {
    const found = findTool(this.#place.set, this.#request.tool);
    if (!found.ok) {
      const words = refusedWords(this.#floor, this.#request, { owner: found.owner });
      return { ok: false, fault: found.fault, words, effect: 'write' };
    }
    const { tool } = found;
    const args = 'arguments' in this.#request ? this.#request.arguments : undefined;
    const known = { tool, policy: policyOfCall(this.#floor, tool, args) };
    const fault =
      this.#notAllowed(tool) ?? (await this.#guard(known)) ?? this.#rate(known) ?? this.#unreadable();
    if (fault !== undefined || !('arguments' in this.#request)) {
      const words = refusedWords(this.#floor, this.#request, known);
      return { ok: false, fault: fault ?? UNREADABLE, words, effect: known.policy.effect };
    }
    return { ok: true, known, args: this.#request.arguments };
  }

  #notAllowed(tool: LiveTool): Fault | undefined {
    return this.#place.allowed(tool) ? undefined : refusal('tool_not_allowed', tool.name);
  }

  #guard({ policy }: Known): Promise<Fault | undefined> {
    return refusalNow(this.#floor, this.#place, policy.effect);
  }

  #rate({ tool, policy }: Known): Fault | undefined {
    const verdict = this.#floor.rates.take(this.#place.principal, tool.name, policy.perMinute);
    if (verdict.ok) return undefined;
    const { afterMs } = verdict;
    if (afterMs === undefined) return refusal('rate_limited', 'it is switched off');
    return refusal('rate_limited', `again in ${Math.ceil(afterMs / 1000)} s`, { after_ms: afterMs });
  }

  #unreadable(): Fault | undefined {
    if (!('arguments' in this.#request)) return UNREADABLE;
    return isTooLarge(this.#request.arguments) ? refusal('arguments_too_large') : undefined;
  }

  #toolRequest(known: Known, args: JsonObject): ToolRequest {
    const { call, tool } = this.#request;
    let done = 0;
    return {
      call,
      tool,
      args,
      signal: this.#place.signal,
      onProgress: (text) => {
        done += 1;
        this.#place.emit({ kind: 'progress', call, done, text: this.#floor.leaks.text(text).value });
      },
      decide: (final, ends) => this.#decide(final, known, ends),
      settle: async (outcome) => {
        this.#over?.();
        const screened = this.#screen(neverBegun(outcome) ? CANCELLED_CALL : outcome);
        this.#said = screened.said;
        // What never began has its entries written together, when the hooks have heard of it.
        if (this.#record.step === 'begun')
          await this.#record.settle(screened.said, this.#place.set.hooks.tool_result.length === 0);
        return screened.outcome;
      },
    };
  }

  async #decide(final: FinalCall, { tool }: Known, signal: AbortSignal): Promise<Decision> {
    const known = { tool, policy: policyOfCall(this.#floor, tool, final.args) };
    this.#words = wordsOf(this.#floor, known.tool, known.policy, final.args);
    const fault = await this.#refusalOf({ ...known, final, words: this.#words, signal });
    if (fault === undefined) return { kind: 'run', timeoutMs: known.policy.timeoutMs };
    this.#refused = fault;
    return { kind: 'refuse', fault };
  }

  /** Undefined once the intent is on disk. */
  async #refusalOf(call: JudgedCall): Promise<Fault | undefined> {
    const before = await this.#guard(call);
    if (before !== undefined) return before;
    const permission = await mayRun(this.#floor, this.#place, call);
    if (!permission.ok) return permission.fault;
    const { approval } = permission;
    // Minutes may have gone by.
    const meanwhile = approval === undefined ? undefined : await this.#guard(call);
    return meanwhile ?? (await this.#begin(call, approval));
  }

  async #begin({ tool, words, final }: JudgedCall, approval: string | undefined): Promise<Fault | undefined> {
    const address = this.#floor.standsFor?.(tool, final.args)?.address;
    try {
      await this.#record.begin(words, approval, address);
    } catch (error) {
      if (approval !== undefined && error instanceof FairleadError && error.code === 'transaction_refused')
        return refusal('approval_expired', '', { approval });
      throw error;
    }
    this.#place.begun?.();
    const { place, call } = { place: this.#place, call: this.#request.call };
    this.#over = this.#floor.running.add({
      ...{ call, tool: words.tool, place, args: final.args },
      isAddressed: address !== undefined,
    });
    const { turn, agent } = place;
    if (turn !== undefined)
      place.emit({ kind: 'state', turn: turn.turn, agent: agent.id, state: 'tool', tool: words.tool });
    return undefined;
  }

  /** Writes what is not written yet. */
  async #ended(ended: ToolEnd, known: Known): Promise<CallEnd> {
    const { effect } = known.policy;
    const said = this.#saidOf(ended);
    switch (this.#record.step) {
      case 'nothing': {
        const words = this.#words ?? this.#givenWords(ended, known);
        await this.#record.refuse(words, said, ended.changedBy);
        break;
      }
      case 'begun':
      case 'settled':
        // What is known of the call is told all the same.
        await this.#record.resultOrOwed(said, ended.changedBy);
        break;
      case 'whole':
        break;
    }
    return this.#end(said, effect);
  }

  /** Refused before the host was asked: by the set, the schema, or a gate. */
  #givenWords({ args }: ToolEnd, known: Known): CallWords {
    return args === undefined || isTooLarge(args)
      ? refusedWords(this.#floor, this.#request, known)
      : wordsOf(this.#floor, known.tool, known.policy, args);
  }

  /** As it was settled, but for what hooks made of its words: these may hold a secret again. */
  #saidOf(ended: ToolEnd): Said {
    const settled = this.#said;
    const { certainty, code, changedBy, isError } = ended;
    if (settled !== undefined && changedBy.length === 0 && code !== 'call_not_settled')
      // A block is said in the extension's own words, without its code.
      return settled.text === ended.text ? settled : { ...settled, text: ended.text };
    const { value: text, categories } = this.#floor.leaks.text(ended.text);
    const redacted = [...new Set([...(settled?.redacted ?? []), ...categories])].sort();
    const detail = this.#refused?.detail;
    return {
      ...{ certainty, text, isError, redacted },
      ...(code === undefined ? {} : { code }),
      ...(detail === undefined ? {} : { detail }),
    };
  }

  #screen(outcome: Parameters<typeof screenOutcome>[0]): ReturnType<typeof screenOutcome> {
    return screenOutcome(outcome, this.#floor.policy.leak, this.#floor.leaks);
  }

  #end(said: Said, effect: Effect): CallEnd {
    const { fitted, ms } = this.#record.recorded(said);
    const { certainty, code, isError, detail } = said;
    const { call, tool } = this.#request;
    return {
      ...{ call, tool, certainty, text: fitted.text, isError, ms, effect },
      ...(code === undefined ? {} : { code }),
      ...(fitted.cut === undefined ? {} : { cut: fitted.cut }),
      ...(fitted.structured === undefined ? {} : { structured: fitted.structured }),
      ...(detail === undefined ? {} : { detail }),
    };
  }
}

/** Cancelled between its intent and its handler, or while a gate judged it. */
function neverBegun(outcome: CallOutcome<NormalOutput>): boolean {
  return outcome.certainty === 'not_started' && outcome.fault.code === 'call_cancelled';
}

const CANCELLED_CALL = Object.freeze({ certainty: 'not_started', fault: CANCELLED });

const UNREADABLE: Fault = Object.freeze({
  code: 'tool_arguments_invalid',
  message: `${extensionErrors.tool_arguments_invalid.message} (they are no JSON object)`,
});
