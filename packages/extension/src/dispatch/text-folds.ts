import type { AddedMessage, ToolEnd } from '../authoring/part.ts';
import type { FiredKind } from '../contracts/hook-contracts.ts';
import type { HookKind } from '../contracts/hook-kinds.ts';
import { type Reading, readMessages, readText } from '../contracts/hook-outputs.ts';
import type { Json } from '../json/json.ts';
import { failureReport } from './failure-report.ts';
import type { HookReport, HookTarget } from './hook-target.ts';
import type { Failure, Fold } from './series.ts';

/** What all folds but the gate's share: every handler is asked, and one that fails is reported and left out. */
abstract class LenientFold<Result> implements Fold<Result> {
  readonly name: HookKind;
  input: Json;
  readonly #report: (report: HookReport) => void;

  constructor(name: HookKind, input: Json, report: (report: HookReport) => void) {
    this.name = name;
    this.input = input;
    this.#report = report;
  }

  asks(): boolean {
    return true;
  }

  fail(failure: Failure, { owner }: HookTarget): boolean {
    // What cannot run is shown as waiting, and a cancelled turn asks nobody: neither is a fault of the handler.
    if (failure.kind === 'late' || failure.kind === 'threw')
      this.#report(failureReport(failure, owner, this.name satisfies FiredKind));
    return true;
  }

  protected leftOut(message: string, owner: string): true {
    this.#report({ owner, kind: this.name, code: 'hook_failed', reason: `it ${message}` });
    return true;
  }

  protected read<T>(reading: Reading<T>, owner: string, use: (value: T) => void): true {
    if (!reading.ok) return this.leftOut(reading.message, owner);
    use(reading.value);
    return true;
  }

  abstract take(raw: unknown, target: HookTarget): boolean;
  abstract result(): Result;
}

/** Messages of `beforeAgentStart`, each with who added it. */
export interface OwnedMessage extends AddedMessage {
  readonly owner: string;
}

export class MessagesFold extends LenientFold<readonly OwnedMessage[]> {
  readonly #messages: OwnedMessage[] = [];

  override take(raw: unknown, { owner }: HookTarget): boolean {
    return this.read(readMessages(raw), owner, (messages) => {
      for (const { role, text } of messages) this.#messages.push({ owner, role, text });
    });
  }

  override result(): readonly OwnedMessage[] {
    return this.#messages;
  }
}

/** The text of a result after every `toolResult`. Where `changedBy` names anybody, the result's data no longer fits it. */
export interface ResultText {
  readonly text: string;
  readonly changedBy: readonly string[];
}

export class ResultFold extends LenientFold<ResultText> {
  #end: ToolEnd;
  readonly #changedBy: string[] = [];

  constructor(end: ToolEnd, report: (report: HookReport) => void) {
    super('tool_result', end as unknown as Json, report);
    this.#end = end;
  }

  override take(raw: unknown, { owner }: HookTarget): boolean {
    return this.read(readText(raw), owner, (text) => {
      if (text === undefined || text === this.#end.text) return;
      this.#end = Object.freeze({ ...this.#end, text });
      this.input = this.#end as unknown as Json;
      this.#changedBy.push(owner);
    });
  }

  override result(): ResultText {
    return { text: this.#end.text, changedBy: this.#changedBy };
  }
}

/** A hook that only observes: what it returns means nothing. */
export class ObserveFold extends LenientFold<void> {
  override take(): boolean {
    return true;
  }

  override result(): void {}
}
