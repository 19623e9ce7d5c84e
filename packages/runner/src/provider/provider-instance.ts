import {
  BoundedQueue,
  type Certainty,
  type Clock,
  checkJsonBounds,
  completed,
  type JsonObject,
  type Outcome,
  type Timer,
} from '@fairlead/base';
import {
  type AdmittedTool,
  argumentsBounds,
  type CallResult,
  type CatalogTool,
  checkCallResult,
  type FrozenCatalog,
} from '@fairlead/protocol';
import type { ProviderConfig } from '../config/plugins-table.ts';
import { type Answer, refusal } from './answer.ts';
import type { ProviderConnection, RequestEnd } from './provider-connection.ts';

/** One call as the gateway sends it, after its provider and instance have been found. */
export type ProviderCall = {
  readonly tool: string;
  readonly observation: string;
  readonly arguments: JsonObject;
};

export type InstanceOptions = {
  readonly id: string;
  readonly config: ProviderConfig;
  readonly catalog: FrozenCatalog;
  /** Where its process was started, every symbolic link followed; absent where no folder is configured. */
  readonly canonicalCwd?: string | null;
  readonly connection: ProviderConnection;
  readonly clock: Clock;
  /** Ends the process tree; idempotent, never rejects. */
  readonly endTree: () => Promise<void>;
  /** Told once when a fault retires the instance. */
  readonly onRetired: (code: string) => void;
};

type State = 'ready' | 'failed' | 'replaced' | 'stopped';

type Waiting = {
  readonly tool: AdmittedTool;
  readonly arguments: JsonObject;
  readonly deadlineAtMs: number;
  readonly answer: Answer;
  timer: Timer | null;
};

/**
 * One live process with its frozen catalog. A fault retires it for good: its process tree is ended at once, and only a
 * new instance takes its place. Checking order and codes: docs/reference/native-plugin-protocol.md §9.
 */
export class ProviderInstance implements AsyncDisposable {
  readonly id: string;
  readonly config: ProviderConfig;
  readonly catalog: FrozenCatalog;
  readonly canonicalCwd: string | null;
  /** What `tools_list` shows, made once. */
  readonly listed: readonly CatalogTool[];
  /** Resolves once the process tree has been ended. */
  readonly ended: Promise<void>;
  readonly #connection: ProviderConnection;
  readonly #clock: Clock;
  readonly #endTree: () => Promise<void>;
  readonly #onRetired: (code: string) => void;
  readonly #waiting: BoundedQueue<Waiting>;
  readonly #treeEnded = Promise.withResolvers<void>();
  #state: State = 'ready';
  #errorCode: string | null = null;
  /** The fault of an idle instance that no caller has been told yet. */
  #untold = false;
  #ending = false;

  constructor(options: InstanceOptions) {
    this.id = options.id;
    this.config = options.config;
    this.catalog = options.catalog;
    this.canonicalCwd = options.canonicalCwd ?? null;
    this.ended = this.#treeEnded.promise;
    this.#connection = options.connection;
    this.#clock = options.clock;
    this.#endTree = options.endTree;
    this.#onRetired = options.onRetired;
    this.#waiting = new BoundedQueue(options.config.maxQueued);
    this.listed = Object.freeze(
      [...options.catalog.tools.values()].map((tool) => ({
        definition: tool.definition,
        observation: tool.observation,
        timeout_secs: this.#timeoutMs(tool.name) / 1000,
      })),
    );
  }

  /** Why it retired, or null. */
  get errorCode(): string | null {
    return this.#errorCode;
  }

  /** Carries out one call. `budgetMs` is what the caller has left; the tool's own budget holds where that is less. */
  call(call: ProviderCall, budgetMs: number, answer: Answer): void {
    const startedMs = this.#clock.monotonicMs();
    if (this.#state !== 'ready' && !this.#untold) {
      answer(this.#closedAnswer());
      return;
    }
    const tool = this.catalog.tools.get(call.tool);
    if (tool === undefined) {
      answer(refusal('plugin_tool_unavailable', 'not_started'));
      return;
    }
    if (tool.observation !== call.observation) {
      answer(refusal('plugin_schema_changed', 'not_started'));
      return;
    }
    const wrong = argumentsFault(tool, call.arguments);
    if (wrong !== null) {
      if (wrong === STATE_FAILED) this.#retire(STATE_FAILED);
      answer(refusal(wrong, 'not_started'));
      return;
    }
    const deadlineAtMs = startedMs + Math.min(this.#timeoutMs(call.tool), budgetMs);
    if (this.#connection.busy) this.#wait(tool, call.arguments, deadlineAtMs, answer);
    else this.#send(tool, call.arguments, deadlineAtMs, answer);
  }

  /** The connection ended while nothing was in flight. */
  idleFault(code: string): void {
    if (this.#state === 'ready') {
      // Whoever waits longest is the first caller to find out.
      const first = this.#waiting.take();
      if (first === undefined) this.#untold = true;
      else refuse(first, code);
    }
    this.#retire(code);
  }

  /** Nothing is in flight any more: the call that has waited longest is sent. */
  sendNext(): void {
    if (this.#state !== 'ready' || this.#connection.busy) return;
    const next = this.#waiting.take();
    if (next === undefined) return;
    next.timer?.cancel();
    this.#send(next.tool, next.arguments, next.deadlineAtMs, next.answer);
  }

  /**
   * Another instance takes its place: it takes no new call, those that wait end `not_started`, one in flight ends with
   * its own answer; then the process tree is ended.
   */
  replace(): void {
    if (this.#state === 'ready') {
      this.#state = 'replaced';
      this.#refuseWaiting('stale_plugin_provider');
    }
    this.#untold = false;
    if (!this.#connection.busy) this.#end();
  }

  /** The Runner stops: what is in flight ends now, `outcome_unknown`, and the process tree with it. */
  stop(): Promise<void> {
    if (this.#state !== 'failed') {
      this.#state = 'stopped';
      this.#refuseWaiting('plugin_manager_stopping');
      this.#connection.close('plugin_manager_stopping');
    }
    this.#end();
    return this.ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #closedAnswer(): Outcome<never> {
    if (this.#state === 'replaced') return refusal('stale_plugin_provider', 'not_started');
    if (this.#state === 'stopped') return refusal('plugin_manager_stopping', 'not_started');
    return refusal('plugin_provider_unavailable', 'not_started');
  }

  #timeoutMs(tool: string): number {
    return this.config.toolTimeoutMs.get(tool) ?? this.config.timeoutMs;
  }

  #wait(tool: AdmittedTool, args: JsonObject, deadlineAtMs: number, answer: Answer): void {
    const waiting: Waiting = { tool, arguments: args, deadlineAtMs, answer, timer: null };
    if (!this.#waiting.offer(waiting)) {
      answer(refusal('plugin_provider_busy', 'not_started'));
      return;
    }
    waiting.timer = this.#clock.setTimer(Math.max(0, deadlineAtMs - this.#clock.monotonicMs()), () => {
      if (this.#waiting.remove(waiting)) answer(refusal('plugin_timeout', 'not_started'));
    });
  }

  #send(tool: AdmittedTool, args: JsonObject, deadlineAtMs: number, answer: Answer): void {
    this.#connection.request('tools/call', { name: tool.name, arguments: args }, deadlineAtMs, (end) =>
      this.#settle(tool, end, answer),
    );
  }

  #settle(tool: AdmittedTool, end: RequestEnd, answer: Answer): void {
    if (end.kind === 'result') {
      const checked = checkResult(end, tool);
      if (checked.ok) answer(completed({ kind: 'tools_call', result: checked.result }));
      else {
        this.#retire(checked.code);
        answer(refusal(checked.code, checked.certainty));
      }
    } else if (end.kind === 'rpc_error') {
      answer(refusal('plugin_rpc_error', 'completed'));
    } else {
      if (end.retired) {
        this.#untold = false;
        this.#retire(end.code);
      }
      answer(refusal(end.code, end.handed ? 'outcome_unknown' : 'not_started'));
    }
    if (this.#state === 'replaced') this.#end();
  }

  #retire(code: string): void {
    if (this.#state === 'ready') {
      this.#state = 'failed';
      this.#errorCode = code;
      this.#refuseWaiting('plugin_provider_unavailable');
      this.#onRetired(code);
    }
    this.#end();
  }

  #refuseWaiting(code: string): void {
    for (const waiting of this.#waiting.drain()) refuse(waiting, code);
  }

  #end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#connection.close('plugin_eof');
    void this.#endTree().then(this.#treeEnded.resolve);
  }
}

const STATE_FAILED = 'plugin_provider_state_failed';

function refuse(waiting: Waiting, code: string): void {
  waiting.timer?.cancel();
  waiting.answer(refusal(code, 'not_started'));
}

/** The code alone: which argument it is, and what it must be, the gateway says in words of its own. */
function argumentsFault(tool: AdmittedTool, args: JsonObject): string | null {
  try {
    const isWithin = checkJsonBounds(args, argumentsBounds) === null;
    return isWithin && tool.input.matches(args) ? null : 'plugin_arguments_schema_invalid';
  } catch {
    return STATE_FAILED;
  }
}

type CheckedResult =
  | { readonly ok: true; readonly result: CallResult }
  | { readonly ok: false; readonly code: string; readonly certainty: Certainty };

function checkResult(end: Extract<RequestEnd, { kind: 'result' }>, tool: AdmittedTool): CheckedResult {
  try {
    const checked = checkCallResult(end.result, tool, end.bytes);
    return checked.ok ? checked : { ok: false, code: checked.code, certainty: 'completed' };
  } catch {
    // Fairlead's own fault: what the plugin did is not known from here.
    return { ok: false, code: STATE_FAILED, certainty: 'outcome_unknown' };
  }
}
