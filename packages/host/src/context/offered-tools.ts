import type { LiveSet } from '@fairlead/hub';
import type { ToolProfile } from '../agents/agent-config.ts';
import type { ModelTool } from '../models/model.ts';
import type { SessionMode } from '../policy/decide.ts';
import type { Effect } from '../policy/tool-policy.ts';

export interface OfferOptions {
  /** Lists that each must hold a tool: the agent's, a worker's, what the caller may. An absent one holds all. */
  readonly allowed: readonly (readonly string[] | undefined)[];
  readonly profile: ReadonlyMap<string, ToolProfile>;
  readonly mode: SessionMode;
  /** As the policy says: in a `read_only` session only what reads is offered. */
  readonly effectOf: (tool: string) => Effect;
}

/** What of a live set an agent may use. */
export interface OfferedTools {
  /** As the model is shown them, in the order of the set. */
  readonly tools: readonly ModelTool[];
  /** Their names. */
  readonly names: ReadonlySet<string>;
  /** Live, but not for this agent: a call is `tool_not_allowed`. */
  readonly withheld: ReadonlySet<string>;
}

/** The tools of a live set for one agent, each shown as its profile says. `inspect` offers none. */
export declare function offeredTools(set: Pick<LiveSet, 'tools'>, options: OfferOptions): OfferedTools;

/** The profile of a tool: by its exact name, else the longest beginning before `*`, else `default`, else `full`. */
export declare function profileOf(profile: ReadonlyMap<string, ToolProfile>, tool: string): ToolProfile;
