import type { AgentDirectory, Hub } from '@fairlead/hub';
import type { Agents } from '../agents/agents.ts';
import type { Seeded } from '../agents/seed-agents.ts';
import type { Models } from '../models/models.ts';
import type { HostPlugins } from '../plugins/host-plugins.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { AgentHost } from './agent-host.ts';
import type { HostPeer } from './host-peer.ts';

/** A host whose agents are seeded and which nothing has started yet: the hub is opened with its directory and its built-ins' peer. */
export interface PreparedHost {
  /** For the hub. */
  readonly agentDirectory: AgentDirectory;
  /** For the built-in extensions: what they may hold of the host. It answers `host_not_started` until `start`. */
  readonly builtinPeer: HostPeer;
  /** Native plugins as agents reach them. */
  readonly plugins: HostPlugins;
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly models: Models;
  readonly seeded: readonly Seeded[];
  /**
   * Brings what the start before left in its middle to its end, then has answered what waits; `alone`: nothing is answered but what `runOnce`
   * asks. Once. Rejects with a code of the store; then nothing of it runs.
   */
  start(hub: Hub, options?: { readonly alone?: boolean }): Promise<AgentHost>;
}
