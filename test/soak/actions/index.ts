import type { Action } from './action.ts';
import { administration } from './administration.ts';
import { calls } from './calls.ts';
import { commands } from './commands.ts';
import { disruptions } from './disruptions.ts';
import { extensions } from './extensions.ts';
import { mcpSessions } from './mcp-sessions.ts';
import { sessions } from './sessions.ts';
import { tokens } from './tokens.ts';

/** Everything that a soak does. What may be done to a host belongs in here as soon as it may. */
export const allActions: readonly Action[] = [
  ...calls,
  ...mcpSessions,
  ...tokens,
  ...administration,
  ...commands,
  ...disruptions,
  ...extensions,
  ...sessions,
];
