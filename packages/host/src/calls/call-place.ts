import type { Fault } from '@fairlead/base';
import type { LiveSet, LiveTool } from '@fairlead/hub';
import type { Database } from '@fairlead/store';
import type { AgentConfig } from '../agents/agent-config.ts';
import type { Speaker } from '../entries/entry.ts';
import type { SessionEvent } from '../events/session-event.ts';
import type { Grants } from '../grants/grants.ts';
import type { ToolPolicy } from '../policy/tool-policy.ts';
import type { AttachedAgent } from '../sessions/session-meta.ts';

/** The turn that a call belongs to. */
interface CallTurn {
  readonly turn: string;
  /** The turn that began it all, and that one's session: ceilings count there. */
  readonly root: string;
  readonly rootSession: string;
  /** The step that the turn is at. */
  step(): number;
}

/** Where calls are made: one for each turn, or for one call of a client. */
export interface CallPlace {
  readonly session: string;
  readonly database: Database;
  /** Leased by the caller until its calls have ended. */
  readonly set: LiveSet;
  /** In whose name: its tools, its grants. Its id is empty where a client calls in a session without one. */
  readonly agent: AttachedAgent;
  readonly config: AgentConfig;
  /** `agent:<id>` in a turn, else who calls: rates are counted and approvals bound by it. */
  readonly principal: string;
  /** Who the entries are from. */
  readonly from: Speaker;
  /** Absent for a client's call: that one waits 45 s for a decision, a turn waits to the end. */
  readonly turn?: CallTurn;
  /** An absolute folder of this machine. */
  readonly workspace: string;
  /** What is granted to a tool here now: all levels in force together. Kept for the turn. */
  grants(tool: string, policy: ToolPolicy): Promise<Grants>;
  /** Somebody could answer now. */
  attended(): boolean;
  /** The `via` of a decision that was taken beforehand, such as `run --approve`. */
  readonly preApproved?: (tool: string) => string | undefined;
  /** The agent's `tools` have it, and its profile does not hide it. */
  allowed(tool: LiveTool): boolean;
  /** Why no call may begin any more, such as a ceiling that the turn has reached. */
  readonly ceiling?: () => string | undefined;
  /** Why whoever asks may not (any more), such as a token that has ended: asked wherever time may have gone by. */
  readonly refusal?: () => Fault | undefined;
  /** Why whoever asks does not reach a session with these agents: asked with what stands in it now. */
  readonly outOfReach?: (agents: readonly AttachedAgent[]) => Promise<Fault | undefined>;
  /** Called once the intent is on disk: from here on the call may have its effect. */
  readonly begun?: () => void;
  emit(event: SessionEvent): void;
  /** Cancels what waits and what runs. */
  readonly signal: AbortSignal;
}
