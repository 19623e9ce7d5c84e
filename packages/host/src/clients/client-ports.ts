import type { Permission, SessionDesk, SessionRecorder, SessionTools } from '@fairlead/dispatch';
import { ClientCalls } from './client-calls.ts';
import { ClientDesk } from './client-desk.ts';
import type { ClientFloor } from './client-floor.ts';
import { ClientPermission } from './client-permission.ts';
import { ClientRecorder } from './client-recorder.ts';

/** What the tools of a gateway take of a host: where invocations are recorded, who decides, what sessions offer. */
export interface ClientPorts {
  readonly sessions: SessionRecorder;
  /** Of the calls that name no session, too. */
  readonly isPaused: () => boolean;
  readonly permission: Permission;
  readonly sessionTools: SessionTools;
  readonly sessionDesk: SessionDesk;
}

/** The ports of `createTools` over a host that has started. Nothing of it is to be closed: what it began ends with the host. */
export function createClientPorts(host: ClientFloor): ClientPorts {
  return {
    sessions: new ClientRecorder(host),
    isPaused: () => host.floor.state.pausedAtMs !== null,
    permission: new ClientPermission(host),
    sessionTools: new ClientCalls(host),
    sessionDesk: new ClientDesk(host),
  };
}
