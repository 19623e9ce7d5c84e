import type { Database } from '@fairlead/store';

/** An agent that is hosted here. */
export interface HostedAgent {
  /** The root id of its database. */
  readonly id: string;
  readonly name: string;
}

/** Which agents this peer hosts; the host has them. */
export interface AgentDirectory {
  /** By name or id; null for one that is not hosted here. */
  resolve(nameOrId: string): Promise<HostedAgent | null>;
  /** Opens the database of a hosted agent; rejects with `database_not_found`. */
  open(id: string): Promise<Database>;
}
