import { NOTHING } from '../authoring/definition.ts';
import type { AgentEnd, ToolCall, ToolEnd } from '../authoring/part.ts';
import { HOOK_CONTRACTS } from '../contracts/hook-contracts.ts';
import { type Reading, readSegments, readText } from '../contracts/hook-outputs.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import type { Json } from '../json/json.ts';
import { budgets } from '../limits.ts';
import type { ParseResult } from '../schema/compile-schema.ts';
import type { BudgetWheel } from './budget-wheel.ts';
import { failureReport } from './failure-report.ts';
import { GateFold, type GateResult } from './gate-fold.ts';
import type { FireOptions, HookReport, HookTarget } from './hook-target.ts';
import { type Fold, runSeries } from './series.ts';
import { MessagesFold, ObserveFold, type OwnedMessage, ResultFold, type ResultText } from './text-folds.ts';
import { runTogether } from './together.ts';

/** A value, or a promise of one where a handler answered later. */
export type Soon<T> = T | Promise<T>;

/** Text that an extension adds to a prompt or a tail. */
export interface OwnedText {
  readonly owner: string;
  readonly text: string;
}

/** Segments that an extension shows. */
export interface OwnedSegments {
  readonly owner: string;
  readonly segments: Readonly<Record<string, string>>;
}

export interface HookDispatcherOptions {
  readonly wheel: BudgetWheel;
  /** Every failure of a handler; called at once. */
  report(report: HookReport): void;
}

/**
 * Fires hooks over the handlers of a live set, each kind by its contract: order, budgets, what an answer may say, what becomes of
 * one that throws, is late or is garbage. Every method answers at once where all handlers do. None ever rejects for a handler.
 * One for a host.
 */
export class HookDispatcher {
  readonly #wheel: BudgetWheel;
  readonly #report: (report: HookReport) => void;
  readonly #nextCall: () => number;

  constructor(options: HookDispatcherOptions) {
    this.#wheel = options.wheel;
    this.#report = (report) => options.report(report);
    let calls = 0;
    this.#nextCall = () => {
      calls += 1;
      return calls;
    };
  }

  /** The gates. `call.args` are parsed and frozen; `parse` parses again what a gate made of them. */
  toolCall(
    targets: readonly HookTarget[],
    call: ToolCall,
    parse: (args: Json) => ParseResult,
    options: FireOptions = NO_OPTIONS,
  ): Soon<GateResult> {
    return this.#series(
      'tool_call',
      targets,
      new GateFold(Object.freeze(call), parse, this.#report),
      options,
    );
  }

  /** `end.args` are frozen. Where `changedBy` names anybody, drop the result's data. */
  toolResult(
    targets: readonly HookTarget[],
    end: ToolEnd,
    options: FireOptions = NO_OPTIONS,
  ): Soon<ResultText> {
    return this.#series('tool_result', targets, new ResultFold(Object.freeze(end), this.#report), options);
  }

  beforeAgentStart(
    targets: readonly HookTarget[],
    options: FireOptions = NO_OPTIONS,
  ): Soon<readonly OwnedMessage[]> {
    const fold = new MessagesFold('before_agent_start', NOTHING, this.#report);
    return this.#series('before_agent_start', targets, fold, options);
  }

  agentEnd(targets: readonly HookTarget[], event: AgentEnd): Soon<void> {
    const fold = new ObserveFold('agent_end', Object.freeze({ status: event.status }), this.#report);
    return this.#series('agent_end', targets, fold, NO_OPTIONS);
  }

  sessionStart(targets: readonly HookTarget[]): Soon<void> {
    const fold = new ObserveFold('session_start', NOTHING, this.#report);
    return this.#series('session_start', targets, fold, NO_OPTIONS);
  }

  sessionShutdown(targets: readonly HookTarget[]): Soon<void> {
    const fold = new ObserveFold('session_shutdown', NOTHING, this.#report);
    return this.#series('session_shutdown', targets, fold, NO_OPTIONS);
  }

  /** Blocks for the system prompt, in the order of the targets; blank ones are none. */
  prompt(
    targets: readonly HookTarget[],
    event: { readonly tools: readonly string[] },
    options: FireOptions = NO_OPTIONS,
  ): Soon<readonly OwnedText[]> {
    return this.#texts('prompt', targets, deepFreeze({ tools: [...event.tools] }), options);
  }

  /** Blocks behind the newest message, in the order of the targets; blank ones are none. */
  tail(
    targets: readonly HookTarget[],
    event: { readonly recent: readonly string[] },
    options: FireOptions = NO_OPTIONS,
  ): Soon<readonly OwnedText[]> {
    return this.#texts('tail', targets, deepFreeze({ recent: [...event.recent] }), options);
  }

  status(targets: readonly HookTarget[], options: FireOptions = NO_OPTIONS): Soon<readonly OwnedSegments[]> {
    const read = (raw: unknown) => readSegments(raw);
    const gathered = this.#together('status', targets, NOTHING, read, options);
    const owned = (results: readonly Owned<Readonly<Record<string, string>>>[]) =>
      results
        .filter(({ value }) => Object.keys(value).length > 0)
        .map(({ owner, value }) => ({ owner, segments: value }));
    return gathered instanceof Promise ? gathered.then(owned) : owned(gathered);
  }

  #series<Result>(
    kind: Exclude<keyof typeof HOOK_CONTRACTS, 'prompt' | 'tail' | 'status'>,
    targets: readonly HookTarget[],
    fold: Fold<Result>,
    { signal }: FireOptions,
  ): Soon<Result> {
    return runSeries(targets, fold, {
      wheel: this.#wheel,
      budgetMs: HOOK_CONTRACTS[kind].budgetMs,
      dispatchMs: budgets.dispatchMs,
      nextCall: this.#nextCall,
      signal,
    });
  }

  #texts(
    kind: 'prompt' | 'tail',
    targets: readonly HookTarget[],
    event: Json,
    options: FireOptions,
  ): Soon<readonly OwnedText[]> {
    const gathered = this.#together(kind, targets, event, readText, options);
    const owned = (results: readonly Owned<string | undefined>[]) =>
      results.flatMap(({ owner, value }) =>
        value === undefined || value.trim() === '' ? [] : [{ owner, text: value }],
      );
    return gathered instanceof Promise ? gathered.then(owned) : owned(gathered);
  }

  #together<T>(
    kind: 'prompt' | 'tail' | 'status',
    targets: readonly HookTarget[],
    event: Json,
    read: (raw: unknown) => Reading<T>,
    { signal }: FireOptions,
  ): Soon<readonly Owned<T>[]> {
    const results: (Owned<T> | undefined)[] = targets.map(() => undefined);
    const over = runTogether(
      targets,
      kind,
      event,
      {
        take: (raw, { owner }, index) => {
          const reading = read(raw);
          if (reading.ok) results[index] = { owner, value: reading.value };
          else this.#report({ owner, kind, code: 'hook_failed', reason: `it ${reading.message}` });
        },
        fail: (failure, { owner }) => {
          if (failure.kind === 'late' || failure.kind === 'threw')
            this.#report(failureReport(failure, owner, kind));
        },
      },
      {
        wheel: this.#wheel,
        budgetMs: HOOK_CONTRACTS[kind].budgetMs,
        nextCall: this.#nextCall,
        signal,
      },
    );
    const present = () => results.filter((result) => result !== undefined);
    return over instanceof Promise ? over.then(present) : present();
  }
}

interface Owned<T> {
  readonly owner: string;
  readonly value: T;
}

const NO_OPTIONS: FireOptions = Object.freeze({});
