/** The hooks as values and as members of `on`: the one table that maps them. */
export const HOOK_MEMBERS = Object.freeze({
  before_agent_start: 'beforeAgentStart',
  tool_call: 'toolCall',
  tool_result: 'toolResult',
  agent_end: 'agentEnd',
  session_start: 'sessionStart',
  session_shutdown: 'sessionShutdown',
} as const);

/** A hook that is fired. */
export type HookKind = keyof typeof HOOK_MEMBERS;

/** What a manifest may declare: the six hooks, and that there are tools or commands. */
export const HOOK_KINDS = Object.freeze([
  'before_agent_start',
  'tool_call',
  'tool_result',
  'agent_end',
  'session_start',
  'session_shutdown',
  'tool',
  'command',
] as const);

/** The six hooks that are fired, in the order of the table. */
export const FIRED_HOOKS = Object.freeze(Object.keys(HOOK_MEMBERS) as HookKind[]);
