import type { Executor } from '../executor.ts';
import type { RuntimeTool } from '../invocation/runtime-tool.ts';
import { pluginToolDefinition } from '../plugin-tool/definition.ts';

/** `plugin_tool`, as the executor carries it out. */
export function pluginTool(executor: Executor): RuntimeTool {
  return {
    definition: pluginToolDefinition,
    route: 'direct',
    scopes: pluginToolDefinition.scopes,
    invoke: (request) => executor.invoke({ ...request, tool: 'plugin_tool' }),
  };
}
