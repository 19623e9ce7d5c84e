import { definerFor } from '@fairlead/extension/builtin';
import type { HostPeer } from '../../src/host/host-peer.ts';

/** What fires agents' schedules, as the built-in does it. */
export const scheduleHandler = definerFor<HostPeer>()({
  name: 'agent_schedule',
  version: '1.0.0',
  open: ({ peer }) => ({ peer }),
  routines: {
    fire: { about: 'Fires.', run: (payload, ctx) => ctx.state.peer.schedules.fire(payload) },
  },
});
