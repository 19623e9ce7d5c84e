import { defineBuiltin } from '../define-builtin.ts';

/** Fires the schedules of agents. It has no tools: `schedule` plans, and can be turned off without what was planned. */
export const agentSchedule = defineBuiltin({
  name: 'agent_schedule',
  version: '1.0.0',
  open: ({ peer }) => ({ peer }),
  routines: {
    fire: {
      about: 'Brings the task of an agent’s schedule to its session.',
      run: (payload, ctx) => ctx.state.peer.schedules.fire(payload),
    },
  },
});
