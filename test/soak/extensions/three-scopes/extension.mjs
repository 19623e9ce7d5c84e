// An extension with an instance for the host, for each agent and for each session, each with a timer and a tool that says how often it was
// called. A soak loads and unloads it: what an instance holds has to end with it.
import { defineExtension } from '@fairlead/extension';

function counts(tool, about) {
  return {
    open(scope) {
      const state = { calls: 0, ticks: 0 };
      scope.every(1_000, () => {
        state.ticks += 1;
      });
      return state;
    },
    tools: {
      [tool]: {
        about,
        effect: 'read',
        run(_args, ctx) {
          ctx.state.calls += 1;
          return String(ctx.state.calls);
        },
      },
    },
  };
}

export default defineExtension({
  name: 'three-scopes',
  version: '1.0.0',
  ...counts('count_of_host', 'Counts its calls on this host.'),
  agent: counts('count_of_agent', 'Counts its calls by this agent.'),
  session: counts('count_of_session', 'Counts its calls in this session.'),
});
