import type { JsonObject } from '@fairlead/base';
import { type CatalogTool, isProviderId, isToolName, isToolTitle, linkLimits } from '@fairlead/protocol';
import { done, type Ending, notStarted } from '../invocation/ending.ts';
import type { Principal } from '../principal.ts';
import { pluginsOf } from '../runner-answers/provider-rows.ts';
import { readFrom, usableRunner, usableRunners } from '../runner-answers/runner-access.ts';
import type { RunnerPort } from '../runner-port.ts';
import type { PluginToolInput } from './input.ts';

type ListInput = Extract<PluginToolInput, { readonly action: 'list' }>;

/** The Runners, the plugins of one, or the tools of one plugin. No plugin is asked anything. */
export async function list(
  port: RunnerPort,
  principal: Principal,
  input: ListInput,
  call: string,
): Promise<Ending> {
  if (input.runner === undefined) {
    const runners = usableRunners(port, principal).map(({ runner, name }) =>
      name === undefined ? { runner } : { runner, name },
    );
    return done({ runners });
  }
  const runner = usableRunner(port, principal, input.runner);
  if (runner === undefined) return notStarted('runner_unavailable');
  const options = { budgetMs: linkLimits.readBudgetMs, call };
  if (input.plugin === undefined) {
    const answer = await readFrom(port, runner, { kind: 'providers_list' }, options);
    if (!answer.ok) return answer;
    return done({ runner: runner.runner, plugins: pluginsOf(answer.payload.providers) });
  }
  if (!isProviderId(input.plugin)) return notStarted('plugin_unavailable');
  const answer = await readFrom(port, runner, { kind: 'tools_list', provider: input.plugin }, options);
  if (!answer.ok) return answer;
  const { provider, name, status, error_code: errorCode } = answer.payload;
  const tools = status === 'ready' ? namesOf(answer.payload.tools) : [];
  if (tools === null) return notStarted('invalid_plugin_response');
  const toolCount = tools.length;
  return done({ runner: runner.runner, plugin: provider, name, status, errorCode, toolCount, tools });
}

/** Name and title of each tool; null where one has no usable name, or has that of another. */
function namesOf(tools: readonly CatalogTool[]): JsonObject[] | null {
  const names = new Set<string>();
  const rows: JsonObject[] = [];
  for (const { definition } of tools) {
    const { name, title } = definition;
    if (!isToolName(name) || names.has(name)) return null;
    if (title !== undefined && !isToolTitle(title)) return null;
    names.add(name);
    rows.push(title === undefined ? { name } : { name, title });
  }
  return rows;
}
