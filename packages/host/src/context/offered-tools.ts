import type { LiveSet, LiveTool } from '@fairlead/hub';
import type { ToolProfile } from '../agents/agent-config.ts';
import type { ModelTool } from '../models/model.ts';
import { modeAllows, type SessionMode } from '../policy/decide.ts';
import { autoApproves } from '../policy/read-policy.ts';
import type { Effect } from '../policy/tool-policy.ts';
import { type ShownProfile, shownTool } from './shown-tool.ts';

/** The tool that tells all of another one. */
const DESCRIBE_TOOL = 'describe_tool';

export interface OfferOptions {
  /** Lists that each must hold a tool: the agent's, a worker's, what the caller may. An absent one holds all. */
  readonly allowed: readonly (readonly string[] | undefined)[];
  readonly profile: ReadonlyMap<string, ToolProfile>;
  /** Of those who gave the task: what one of them hides is hidden. */
  readonly givers?: readonly ReadonlyMap<string, ToolProfile>[];
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
  /** Live, but not for this agent, in whatever mode: a call is `tool_not_allowed`. */
  readonly withheld: ReadonlySet<string>;
}

/**
 * The tools of a live set for one agent, each shown as its profile says. `inspect` offers none. A tool that only has its name is shown `brief`
 * where the agent may not ask `describe_tool`, and that one itself always says what it is.
 */
export function offeredTools(set: Pick<LiveSet, 'tools'>, options: OfferOptions): OfferedTools {
  const { allowed, profile, givers = [], mode, effectOf } = options;
  const withheld = new Set<string>();
  const offered: { readonly tool: LiveTool; readonly shown: ShownProfile }[] = [];
  for (const tool of set.tools.values()) {
    const isAllowed = allowed.every((list) => list === undefined || autoApproves(list, tool.name));
    const shown = profileOf(profile, tool.name);
    const isHidden = givers.some((one) => profileOf(one, tool.name) === 'hidden');
    if (!isAllowed || isHidden || shown === 'hidden') withheld.add(tool.name);
    else if (modeAllows(mode, effectOf(tool.name))) offered.push({ tool, shown });
  }
  const names = new Set(offered.map(({ tool }) => tool.name));
  const canAsk = names.has(DESCRIBE_TOOL);
  const tools = offered.map(({ tool: { name, contribution }, shown }) => {
    const isBare = shown === 'summary' && (!canAsk || name === DESCRIBE_TOOL);
    return shownTool(contribution, isBare ? 'brief' : shown);
  });
  return { tools, names, withheld };
}

/** The profile of a tool: by its exact name, else the longest beginning before `*`, else `default`, else `full`. */
export function profileOf(profile: ReadonlyMap<string, ToolProfile>, tool: string): ToolProfile {
  const exact = profile.get(tool);
  if (exact !== undefined) return exact;
  let longest = '';
  for (const pattern of profile.keys())
    if (pattern.endsWith('*') && pattern.length > longest.length && tool.startsWith(pattern.slice(0, -1)))
      longest = pattern;
  return profile.get(longest) ?? profile.get('default') ?? 'full';
}
