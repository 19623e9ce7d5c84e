import type { Clock } from '@fairlead/base';
import type { Peer, Store } from '@fairlead/store';
import type { Agents } from '../agents/agents.ts';
import type { Sessions } from './sessions.ts';

/** What everything about sessions works with; the caller's to close. */
export interface SessionFloor {
  readonly peer: Peer;
  readonly store: Store;
  readonly clock: Clock;
  readonly agents: Agents;
  readonly sessions: Sessions;
  /** Names this start of the host. */
  readonly boot: string;
}
