import type { AgentConfig } from '../agents/agent-config.ts';
import type { OfferedTools } from '../context/offered-tools.ts';
import type { AttachedAgent } from '../sessions/session-meta.ts';
import type { TurnBudget } from './turn-budget.ts';

/** A turn that runs, as what it calls sees it. */
export interface RunningTurn {
  readonly turn: string;
  readonly session: string;
  readonly agent: AttachedAgent;
  readonly config: AgentConfig;
  /** How many spawned each other down to it; 0 for one that nobody spawned. */
  readonly depth: number;
  /** What a turn that it spawns shares. */
  readonly budget: TurnBudget;
  /** `backend/model`. */
  readonly model: string;
  /** Lists of tools that each must hold what it calls; what it spawns obeys them too. */
  readonly tools: readonly (readonly string[] | undefined)[];
  /** Profiles of tools, its own first: what one of them hides neither it nor what it spawns may call. */
  readonly profiles: readonly AgentConfig['toolProfile'][];
  /** What its model is offered. */
  readonly offered: Pick<OfferedTools, 'names'>;
  /** Aborts with a coded error that says why. */
  readonly signal: AbortSignal;
  attended(): boolean;
  preApproved(tool: string): string | undefined;
}

/** The turns of this host that run now, at most one a session. */
export class RunningTurns {
  readonly #bySession = new Map<string, RunningTurn>();

  /** The one of a session. */
  of(session: string): RunningTurn | undefined {
    return this.#bySession.get(session);
  }

  all(): readonly RunningTurn[] {
    return [...this.#bySession.values()];
  }

  /** Until what it gives is called. */
  add(turn: RunningTurn): () => void {
    this.#bySession.set(turn.session, turn);
    return () => {
      if (this.#bySession.get(turn.session) === turn) this.#bySession.delete(turn.session);
    };
  }
}
