import { deepFreeze, type JsonObject } from '@fairlead/base';
import { argumentsBounds, catalogLimits, linkLimits, providerLimits } from '@fairlead/protocol';
import { MAY_DO_ANYTHING } from '../invocation/annotations.ts';
import type { Scope } from '../scopes.ts';

/**
 * `plugin_tool` as every caller sees it, whatever it may do and whichever Runners are connected
 * (docs/reference/plugin-tool.md). The annotations are the worst of its actions: some only read, one may do anything.
 */
export const pluginToolDefinition: {
  readonly name: 'plugin_tool';
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject;
  /** Each action needs one of these. */
  readonly scopes: readonly Scope[];
} = Object.freeze({
  name: 'plugin_tool',
  description: [
    'Finds and calls the tools of native plugins, programs on the machines of connected Runners.',
    'list: the Runners; with runner, its plugins; with runner and plugin, the tools of one.',
    'describe (runner, plugin, tool): the whole definition of one tool, and a binding to exactly that definition.',
    'call (binding, arguments): runs the tool as it was described, once. If the plugin or the definition has changed, nothing runs and the answer says so: describe again.',
    'check (runner, plugin): starts the configured program on its machine, says whether it would serve, and ends it.',
    'reload (runner): starts all plugins of a Runner anew and swaps them in, or changes nothing.',
    'outcome (call): what became of a call, check or reload of yours whose answer was lost or unknown, by the call id that the answer named. It runs nothing.',
    'Every answer has a certainty: not_started (nothing ran), completed, or outcome_unknown (it may have run: ask for its outcome or look before you repeat it). Nothing is ever sent twice.',
  ].join('\n'),
  inputSchema: deepFreeze({
    type: 'object',
    properties: {
      action: { type: 'string', enum: ['list', 'check', 'reload', 'describe', 'call', 'outcome'] },
      runner: {
        type: 'string',
        minLength: 1,
        maxLength: linkLimits.nameMaxBytes,
        description: 'Id of a Runner, as list gives it. For list, check, reload, describe.',
      },
      plugin: {
        type: 'string',
        minLength: 1,
        maxLength: providerLimits.idMaxBytes,
        description: 'Id of a plugin of that Runner. For list, check, describe.',
      },
      tool: {
        type: 'string',
        minLength: 1,
        maxLength: catalogLimits.toolNameMaxBytes,
        description: 'Name of a tool of that plugin. For describe.',
      },
      binding: {
        type: 'string',
        minLength: 1,
        maxLength: 128,
        pattern: '^wc_pbind_[A-Za-z0-9_-]+$',
        description: 'What describe answered. For call.',
      },
      arguments: {
        type: 'object',
        description: `The arguments of the tool, as its inputSchema says, at most ${argumentsBounds.maxBytes} bytes. For call.`,
      },
      call: {
        type: 'string',
        minLength: 1,
        maxLength: 128,
        pattern: '^call_[A-Za-z0-9_-]+$',
        description: 'The call id of an earlier answer. For outcome.',
      },
    },
    required: ['action'],
    additionalProperties: false,
  }),
  annotations: MAY_DO_ANYTHING,
  scopes: Object.freeze(['plugin:inspect', 'plugin:invoke', 'plugin:manage'] as const),
});
