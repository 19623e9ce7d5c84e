import type { ToolCall } from '../authoring/part.ts';
import { judges } from '../contracts/hook-contracts.ts';
import { readVerdict } from '../contracts/verdict.ts';
import type { Json, JsonObject } from '../json/json.ts';
import type { ParseResult } from '../schema/compile-schema.ts';
import { faultText } from '../schema/schema-fault.ts';
import { failureReport } from './failure-report.ts';
import type { HookReport, HookTarget } from './hook-target.ts';
import type { Failure, Fold } from './series.ts';

/** What the gates say of one call: it goes on with these arguments, or one of them stops it. */
export type GateResult =
  | { readonly kind: 'pass'; readonly args: JsonObject; readonly rewrittenBy: readonly string[] }
  | {
      readonly kind: 'block';
      readonly owner: string;
      readonly code: 'tool_blocked' | HookReport['code'] | 'call_cancelled';
      readonly reason: string;
    };

/** What the model reads of a block. */
export function blockText({ owner, reason }: Extract<GateResult, { kind: 'block' }>): string {
  return `blocked by ${owner}: ${reason}`;
}

/** The gates of one tool call, one after another: a rewrite is parsed again before the next one sees it. */
export class GateFold implements Fold<GateResult> {
  readonly name = 'tool_call';
  input: Json;
  readonly #parse: (args: Json) => ParseResult;
  readonly #report: (report: HookReport) => void;
  #call: ToolCall;
  #block: Extract<GateResult, { kind: 'block' }> | undefined;
  #rewrittenBy: string[] = NOBODY;

  /** `call` is frozen, its arguments parsed. */
  constructor(call: ToolCall, parse: (args: Json) => ParseResult, report: (report: HookReport) => void) {
    this.#call = call;
    this.input = call as unknown as Json;
    this.#parse = parse;
    this.#report = report;
  }

  asks({ gates }: HookTarget): boolean {
    return judges(gates, this.#call.tool);
  }

  take(raw: unknown, { owner }: HookTarget): boolean {
    const verdict = readVerdict(raw);
    switch (verdict.kind) {
      case 'pass':
        return true;
      case 'block':
        this.#block = { kind: 'block', owner, code: 'tool_blocked', reason: verdict.reason };
        return false;
      case 'invalid':
        return this.#refuse({ owner, kind: 'tool_call', code: 'verdict_invalid', reason: verdict.message });
      default:
        return this.#rewrite(verdict.args, owner);
    }
  }

  fail(failure: Failure, { owner }: HookTarget): boolean {
    if (failure.kind === 'cancelled') {
      this.#block = { kind: 'block', owner, code: 'call_cancelled', reason: 'the turn was cancelled' };
      return false;
    }
    return this.#refuse(failureReport(failure, owner, 'tool_call'));
  }

  result(): GateResult {
    return this.#block ?? { kind: 'pass', args: this.#call.args, rewrittenBy: this.#rewrittenBy };
  }

  #rewrite(args: JsonObject, owner: string): boolean {
    const parsed = this.#parse(args);
    if (!parsed.ok)
      return this.#refuse({
        owner,
        kind: 'tool_call',
        code: 'tool_arguments_invalid',
        reason: `its arguments do not fit the tool: ${faultText(parsed.fault)}`,
      });
    this.#call = Object.freeze({ ...this.#call, args: parsed.value as JsonObject });
    this.input = this.#call as unknown as Json;
    this.#rewrittenBy = [...this.#rewrittenBy, owner];
    return true;
  }

  #refuse(report: HookReport): false {
    this.#report(report);
    this.#block = { kind: 'block', owner: report.owner, code: report.code, reason: report.reason };
    return false;
  }
}

const NOBODY: string[] = [];
