import type { JsonObject } from '@fairlead/base';
import { admitCatalog, isProviderId, isToolName, linkLimits } from '@fairlead/protocol';
import type { Bindings } from '../bindings/bindings.ts';
import { observed } from '../bindings/observed.ts';
import { done, type Ending, notStarted } from '../invocation/ending.ts';
import type { Principal } from '../principal.ts';
import { readFrom, usableRunner } from '../runner-answers/runner-access.ts';
import type { RunnerPort } from '../runner-port.ts';
import type { PluginToolInput } from './input.ts';

type DescribeInput = Extract<PluginToolInput, { readonly action: 'describe' }>;

/** The whole definition of one tool and a fresh binding to exactly that. The plugin is asked nothing. */
export async function describe(
  port: RunnerPort,
  bindings: Bindings,
  principal: Principal,
  input: DescribeInput,
  call: string,
): Promise<Ending> {
  const runner = usableRunner(port, principal, input.runner);
  if (runner === undefined) return notStarted('runner_unavailable');
  // An id that no plugin and a name that no tool can have need no question.
  if (!isProviderId(input.plugin)) return notStarted('plugin_unavailable');
  if (!isToolName(input.tool)) return notStarted('tool_not_found');
  const options = { budgetMs: linkLimits.readBudgetMs, call };
  const answer = await readFrom(port, runner, { kind: 'tools_list', provider: input.plugin }, options);
  if (!answer.ok) return answer;
  const { provider, provider_instance: providerInstance, name: pluginName, status, tools } = answer.payload;
  if (status !== 'ready') return notStarted('plugin_provider_unavailable');
  const found = tools.find(({ definition }) => definition['name'] === input.tool);
  if (found === undefined) return notStarted('tool_not_found');
  // The caller will trust this definition, so it is admitted here too, and the digest must be that of what is shown.
  const admission = admitCatalog({ tools: [found.definition] });
  const tool = admission.ok ? admission.catalog.tools.get(input.tool) : undefined;
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
  const binding = await bindings.bind(seen, tool.definition['inputSchema'] as JsonObject);
  return done({ runner: runner.runner, plugin: provider, pluginName, tool: tool.definition, binding });
}
