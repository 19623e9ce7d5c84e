import type { Certainty } from '@fairlead/base';

/** What a turn asks another agent, or a worker of its own, to do. */
export interface SpawnRequest {
  readonly kind: 'agent' | 'worker';
  /** An agent of this host by name or id; a worker of the caller by name. */
  readonly name: string;
  readonly task: string;
  readonly context?: string;
  /** Names of tools, or beginnings before `*`: narrows what the child may call. */
  readonly tools?: readonly string[];
  /** `backend/model`. */
  readonly model?: string;
  readonly maxIterations?: number;
  /** Answers as soon as the child's task is on disk. */
  readonly async: boolean;
  /** Aborts when nobody waits for the answer any more; the child goes on. */
  readonly signal: AbortSignal;
}

/** How that ended. `not_started`: there is no child. `outcome_unknown`: there is one, and how its turn ends is not known. */
export interface SpawnEnd {
  readonly certainty: Certainty;
  /** The child, once there is one. */
  readonly session?: string;
  /** Why there is no answer of the child's own. */
  readonly code?: string;
  /** The child's last words, or a sentence about `code`. */
  readonly text: string;
}
