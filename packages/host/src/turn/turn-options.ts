import type { AgentConfig, WorkerConfig } from '../agents/agent-config.ts';
import type { CallEnd } from '../calls/call-end.ts';
import type { EntryUsage, TurnStatus } from '../entries/entry.ts';
import type { Ceiling } from '../models/step/attempt-ledger.ts';
import type { AttachedAgent } from '../sessions/session-meta.ts';
import type { PendingWake } from '../sessions/wakes.ts';
import type { TurnBudget } from './turn-budget.ts';

export interface TurnOptions {
  /** `trn_` and 22 characters. */
  readonly turn: string;
  readonly session: string;
  /** Takes part in the session. */
  readonly agent: AttachedAgent;
  /** What it answers, as `nextTurn` gave it; none where it resumes another. */
  readonly wakes: readonly PendingWake[];
  /** The turn that was cut short. */
  readonly resumes?: string;
  /** The firing that began it. */
  readonly slot?: string;
  /**
   * Who spawned it: what it shares with that turn, how deep it stands (1 for the first), and what bounds the turns above it: lists of tools that
   * each must hold what it calls (an absent one holds all), profiles whose hidden tools it may not call, Runners that it may use (absent is all).
   */
  readonly spawned?: {
    readonly by: string;
    readonly budget: TurnBudget;
    readonly depth: number;
    readonly tools: readonly (readonly string[] | undefined)[];
    readonly profiles?: readonly AgentConfig['toolProfile'][];
    readonly runners?: readonly string[];
  };
  /** Speaks for the agent with other words, another model and fewer tools. */
  readonly worker?: WorkerConfig;
  /** `backend/model`, before what the session and the agent say. */
  readonly model?: string;
  /** Steps with tools, at most; what is shared bounds it too. Default: the worker's, else the agent's. */
  readonly maxIterations?: number;
  /** From its beginning, for it and for what it spawns. */
  readonly timeoutMs?: number;
  /** Ends it at once: abort it with a coded error, whose code stands in `turn_end`. */
  readonly signal: AbortSignal;
  /** The `via` of a decision that somebody took for the whole turn, such as `run --approve`. */
  readonly preApproved?: (tool: string) => string | undefined;
  /** Whether somebody may be asked now. Default: for a directive, whether somebody listens to the session; else yes. */
  readonly attended?: () => boolean;
  /** Called when its `ack` stands: from here on it ends with a `turn_end`. */
  readonly begun?: () => void;
}

/** How a turn ended. */
export interface TurnReport {
  readonly status: TurnStatus;
  readonly code?: string;
  /** The last words, or what went wrong; empty for a silent turn. */
  readonly text: string;
  readonly usage: EntryUsage;
  /** Whole nano-dollars; null where a model had no price. */
  readonly nanousd: number | null;
  /** Model calls, attempts not counted. */
  readonly steps: number;
  /** In the order in which they were asked for. */
  readonly calls: readonly CallEnd[];
  /** With the status `ceiling`: which. */
  readonly ceiling?: Ceiling;
}
