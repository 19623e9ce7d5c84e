import { linkLimits, type RunnerRequest } from '@fairlead/protocol';
import { MAY_DO_ANYTHING } from '../invocation/annotations.ts';
import { type Ending, notStarted } from '../invocation/ending.ts';
import type { Invoker } from '../invocation/invoker.ts';
import type { RuntimeTool, ToolDefinition } from '../invocation/runtime-tool.ts';
import { managed } from '../plugin-tool/task-words.ts';
import { configReloadEnding, RELOAD_RUNNER_CONFIG } from '../runner-answers/effect-outputs.ts';
import { addressed, addressOf, connectedRunner } from '../runner-answers/runner-access.ts';
import { judgeAnswer } from '../runner-answers/runner-answer.ts';
import { runnerInTarget } from '../runner-in-target.ts';
import type { RunnerPort, VisibleRunner } from '../runner-port.ts';
import { RUNNER_SCHEMA, readRunnerParams } from './runner-config-params.ts';

const definition: ToolDefinition = Object.freeze({
  name: RELOAD_RUNNER_CONFIG,
  description: [
    'Puts the runner.toml of a Runner in force as a whole, or changes nothing. check_runner_config shows beforehand what that would be.',
    'Plugins are started anew only where they or their environments differ from those in force; to start them anyway, reload them with plugin_tool.',
    'Where a plugin is not admitted, nothing is applied: plugin_reload_failed names it.',
  ].join('\n'),
  inputSchema: RUNNER_SCHEMA,
  // It may start any program that the file names.
  annotations: MAY_DO_ANYTHING,
});

/** Reached through `call_runtime_tool` (docs/reference/runtime-tools.md). */
export function reloadRunnerConfig(invoker: Invoker, runners: RunnerPort): RuntimeTool {
  return {
    definition,
    route: 'gateway',
    scopes: Object.freeze(['runner:manage'] as const),
    invoke: (request) =>
      invoker.invoke(request, (params) => {
        const reading = readRunnerParams(RELOAD_RUNNER_CONFIG, params);
        if (!reading.ok) return reading;
        const { runner } = reading;
        const address = addressOf(runners, runner);
        return {
          ok: true,
          task: {
            action: RELOAD_RUNNER_CONFIG,
            scope: 'runner:manage',
            subject: { bindingPresent: false, runner, ...address },
            mayHaveHappened:
              'The configuration may have been put in force; it was not sent again. Check the configuration of the Runner to see what is.',
            words: () => ({
              tool: RELOAD_RUNNER_CONFIG,
              tier: 'native',
              target: managed(`runner:${runnerInTarget(runner)}/config`, address),
              arguments: { runner },
              risk: 'high',
            }),
            obstacle: (principal) =>
              connectedRunner(runners, principal, runner) === undefined ? 'runner_unavailable' : undefined,
            summary: 'What was applied, and the plugins in force now.',
            run: (principal, call) =>
              reload(runners, connectedRunner(runners, principal, runner), address.runnerInstance, call),
          },
        };
      }),
  };
}

async function reload(
  port: RunnerPort,
  found: VisibleRunner | undefined,
  instanceId: string | undefined,
  call: string,
): Promise<Ending> {
  const address = addressed(found, instanceId);
  if (!address.ok) return notStarted(address.code);
  const { runner } = address;
  const request = { kind: 'config_reload' } as const satisfies RunnerRequest;
  const options = { budgetMs: linkLimits.manageBudgetMs, call };
  const answer = judgeAnswer(request, await port.request(runner.runner, runner.instanceId, request, options));
  return answer.ok ? configReloadEnding(runner.runner, answer.payload) : answer;
}
