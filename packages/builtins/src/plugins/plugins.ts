import type { JsonObject } from '@fairlead/base';
import { type Schema, s } from '@fairlead/extension';
import { callerOf, defineBuiltin } from '../define-builtin.ts';
import { allowed } from '../errors.ts';
import { pluginsLimits } from '../limits.ts';
import { pinnedTool } from './pinned-tool.ts';
import { pluginOutput } from './plugin-output.ts';

/** The actions of an agent. To start programs anew is a person's. */
const ACTIONS = ['list', 'describe', 'call', 'outcome'] as const;

/** Any object: what may stand in it the described tool says. */
const ANYTHING: Schema<JsonObject, 'required'> = Object.freeze({
  json: Object.freeze({
    type: 'object',
    additionalProperties: true,
    description: 'Of call: what the described tool takes',
  }),
  presence: 'required',
});

/** Native plugins for agents: any of them by looking it up first, and pinned ones as tools of their own. */
export const plugins = defineBuiltin({
  name: 'plugins',
  version: '1.0.0',
  open: ({ peer }) => ({ peer: peer.plugins }),
  tools: {
    plugin_tool: {
      about:
        'Native plugins on Runners. list: Runners; with runner its plugins; with plugin too, its tools. describe (runner, plugin, tool): what a tool takes, and a binding. call (binding, arguments): calls exactly what was described. outcome (call): what became of a call.',
      args: {
        action: s.enum(ACTIONS),
        runner: s.optional(s.string()),
        plugin: s.optional(s.string()),
        tool: s.optional(s.string()),
        binding: s.optional(s.string('Of call: what describe answered')),
        arguments: s.optional(ANYTHING),
        call: s.optional(s.string('Of outcome: the id of a call')),
      },
      risk: 'medium',
      approval: 'unless_auto_approved',
      timeoutMs: pluginsLimits.toolMs,
      async run(args, ctx) {
        return pluginOutput(
          await allowed(ctx.state.peer.invoke(callerOf(ctx, 'plugin_tool'), args as JsonObject)),
        );
      },
    },
  },
  status({ state }) {
    const notices = state.peer.notices().slice(0, pluginsLimits.notices);
    return Object.fromEntries(notices.map(({ pin, code }) => [pin.slice(0, 32), code]));
  },
  agent: {
    open(scope) {
      const { plugins: peer } = scope.peer;
      const off = peer.onChange(() => scope.changed());
      scope.own({ [Symbol.dispose]: off });
      return { peer, agent: scope.key ?? '' };
    },
    async moreTools({ peer, agent }) {
      return (await peer.pinned(agent)).map((pin) => pinnedTool(peer, pin));
    },
  },
});
