import type { Action } from './action.ts';
import { administration } from './administration.ts';
import { agentTurns } from './agent-turns.ts';
import { approvals } from './approvals.ts';
import { calls } from './calls.ts';
import { commands } from './commands.ts';
import { disruptions } from './disruptions.ts';
import { extensions } from './extensions.ts';
import { mcpServer } from './mcp-server.ts';
import { mcpSessions } from './mcp-sessions.ts';
import { pauses } from './pauses.ts';
import { schedules } from './schedules.ts';
import { sessionClients } from './session-clients.ts';
import { sessions } from './sessions.ts';
import { streams } from './streams.ts';
import { tokens } from './tokens.ts';

/** Everything that a soak does. What may be done to a host belongs in here as soon as it may. */
export const allActions: readonly Action[] = [
  ...calls,
  ...pauses,
  ...mcpSessions,
  ...tokens,
  ...administration,
  ...commands,
  ...disruptions,
  ...extensions,
  ...sessions,
  ...sessionClients,
  ...agentTurns,
  ...schedules,
  ...approvals,
  ...streams,
  ...mcpServer,
];
