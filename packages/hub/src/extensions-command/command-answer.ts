import type { Json } from '@fairlead/base';
import type { Database } from '@fairlead/store';
import type { HostedAgent } from '../agent-state/agent-directory.ts';

/** What a host command answers: text for people with the same as data, or what is wrong with the line. */
export type CommandAnswer =
  | { readonly text: string; readonly data: Json }
  | { readonly error: { readonly code: string; readonly message: string; readonly usage?: string } };

/** Where a command is given: a session, and the agent that answers there, if there is one. */
export interface CommandPlace {
  readonly session: Database;
  readonly agent?: HostedAgent;
}
