import { linkLimits, type RunnerRequest } from '@fairlead/protocol';
import { done, type Ending, notStarted } from '../invocation/ending.ts';
import type { Invoker } from '../invocation/invoker.ts';
import { pluginsOf } from '../plugin-tool/provider-rows.ts';
import { connectedRunner } from '../plugin-tool/runner-access.ts';
import { judgeAnswer } from '../plugin-tool/runner-answer.ts';
import type { Principal } from '../principal.ts';
import type { RunnerPort } from '../runner-port.ts';
import { RUNNER_SCHEMA, readRunnerParams } from './runner-config-params.ts';
import type { RuntimeTool, ToolDefinition } from './runtime-tool.ts';

const NAME = 'reload_runner_config';

const definition: ToolDefinition = Object.freeze({
  name: NAME,
  description: [
    'Puts the runner.toml of a Runner in force as a whole, or changes nothing. check_runner_config shows beforehand what that would be.',
    'Plugins are started anew only where they or their environments differ from those in force; to start them anyway, reload them with plugin_tool.',
    'Where a plugin is not admitted, nothing is applied: plugin_reload_failed names it.',
  ].join('\n'),
  inputSchema: RUNNER_SCHEMA,
  // It may start any program that the file names.
  annotations: Object.freeze({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  }),
});

/** Reached through `call_runtime_tool` (docs/reference/runtime-tools.md). */
export function reloadRunnerConfig(invoker: Invoker, runners: RunnerPort): RuntimeTool {
  return {
    definition,
    route: 'gateway',
    scopes: Object.freeze(['runner:manage'] as const),
    invoke: (request) =>
      invoker.invoke(request, (params) => {
        const reading = readRunnerParams(NAME, params);
        if (!reading.ok) return reading;
        const { runner } = reading;
        return {
          ok: true,
          task: {
            action: NAME,
            scope: 'runner:manage',
            subject: { bindingPresent: false, runner },
            mayHaveHappened:
              'The configuration may have been put in force; it was not sent again. Check the configuration of the Runner to see what is.',
            summary: 'What was applied, and the plugins in force now.',
            run: (principal, call) => reload(runners, principal, runner, call),
          },
        };
      }),
  };
}

async function reload(port: RunnerPort, principal: Principal, id: string, call: string): Promise<Ending> {
  const runner = connectedRunner(port, principal, id);
  if (runner === undefined) return notStarted('runner_unavailable');
  const request = { kind: 'config_reload' } as const satisfies RunnerRequest;
  const options = { budgetMs: linkLimits.manageBudgetMs, call };
  const answer = judgeAnswer(request, await port.request(runner.runner, runner.instanceId, request, options));
  if (!answer.ok) return answer;
  const { generation, applied, changed, changed_count, plugins_restarted, providers, failures } =
    answer.payload;
  if (failures.length > 0)
    return { certainty: 'completed', code: 'plugin_reload_failed', detail: { generation, failures } };
  return done({
    runner: runner.runner,
    generation,
    applied,
    changed,
    changedCount: changed_count,
    pluginsRestarted: plugins_restarted,
    plugins: pluginsOf(providers),
  });
}
