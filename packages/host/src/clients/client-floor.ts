import type { NewMessage, PostedEntry } from '../sessions/post-entry.ts';
import type { NewSession } from '../sessions/sessions.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';

/** What clients' calls need of a host that has started. */
export interface ClientFloor {
  readonly floor: TurnFloor;
  /** Aborted while the host is paused, and once it stops. */
  readonly halted: AbortSignal;
  openSession(session: string): Promise<void>;
  newSession(made: NewSession): Promise<string>;
  post(message: NewMessage): Promise<PostedEntry>;
}
