import type { JsonObject } from '@fairlead/base';
import { admitCatalog, isProviderId, isToolName, linkLimits } from '@fairlead/protocol';
import type { BindingBook } from '../bindings/binding-book.ts';
import { type Observed, observed } from '../bindings/observed.ts';
import { done, type Ending, notStarted } from '../invocation/ending.ts';
import type { Principal } from '../principal.ts';
import { readFrom, usableRunner } from '../runner-answers/runner-access.ts';
import type { RunnerPort, VisibleRunner } from '../runner-port.ts';
import type { PluginToolInput } from './input.ts';

type DescribeInput = Extract<PluginToolInput, { readonly action: 'describe' }>;

/** One tool as its plugin shows it now. */
export type ToolSeen = {
  readonly pluginName: string;
  readonly definition: JsonObject;
  readonly observed: Observed;
};

/** The whole definition of one tool and a fresh binding to exactly that. The plugin is asked nothing. */
export async function describe(
  port: RunnerPort,
  bindings: BindingBook,
  principal: Principal,
  input: DescribeInput,
  call: string,
): Promise<Ending> {
  const runner = usableRunner(port, principal, input.runner);
  if (runner === undefined) return notStarted('runner_unavailable');
  const seen = await observeTool(port, runner, input, call);
  if ('code' in seen) return seen;
  const { definition, observed: bound, pluginName } = seen;
  const binding = await bindings.bind(bound, definition['inputSchema'] as JsonObject);
  return done({ runner: runner.runner, plugin: bound.plugin, pluginName, tool: definition, binding });
}

/** Looks one tool of a connected Runner up, admits it, and says what was seen: nothing is bound. The plugin is asked nothing. */
export async function observeTool(
  port: RunnerPort,
  runner: VisibleRunner,
  { plugin, tool: name }: { readonly plugin: string; readonly tool: string },
  call?: string,
): Promise<ToolSeen | (Ending & { readonly code: string })> {
  // An id that no plugin and a name that no tool can have need no question.
  if (!isProviderId(plugin)) return notStarted('plugin_unavailable');
  if (!isToolName(name)) return notStarted('tool_not_found');
  const options = { budgetMs: linkLimits.readBudgetMs, ...(call === undefined ? {} : { call }) };
  const answer = await readFrom(port, runner, { kind: 'tools_list', provider: plugin }, options);
  if (!answer.ok) return answer;
  const { provider, provider_instance: providerInstance, name: pluginName, status, tools } = answer.payload;
  if (status !== 'ready') return notStarted('plugin_provider_unavailable');
  const found = tools.find(({ definition }) => definition['name'] === name);
  if (found === undefined) return notStarted('tool_not_found');
  // The caller will trust this definition, so it is admitted here too, and the digest must be that of what is shown.
  const admission = admitCatalog({ tools: [found.definition] });
  const tool = admission.ok ? admission.catalog.tools.get(name) : undefined;
  if (tool === undefined || tool.observation !== found.observation || providerInstance === null)
    return notStarted('invalid_plugin_response');
  const seen = observed({
    runner: runner.runner,
    runnerInstance: runner.instanceId,
    plugin: provider,
    providerInstance,
    tool: tool.name,
    observation: tool.observation,
    timeoutSecs: found.timeout_secs,
  });
  return { pluginName, definition: tool.definition, observed: seen };
}
