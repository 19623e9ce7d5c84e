import { linkLimits, type RunnerRequest } from '@fairlead/protocol';
import { READS_ONLY } from '../invocation/annotations.ts';
import { done, type Ending, notStarted } from '../invocation/ending.ts';
import type { Invoker } from '../invocation/invoker.ts';
import type { RuntimeTool, ToolDefinition } from '../invocation/runtime-tool.ts';
import type { Principal } from '../principal.ts';
import { connectedRunner, readFrom } from '../runner-answers/runner-access.ts';
import type { RunnerPort } from '../runner-port.ts';
import { RUNNER_SCHEMA, readRunnerParams } from './runner-config-params.ts';

const NAME = 'check_runner_config';

const definition: ToolDefinition = Object.freeze({
  name: NAME,
  description: [
    'Reads the runner.toml of a Runner on its machine and says what of it differs from what is in force. Starts nothing, changes nothing.',
    'changed names keys, never values: live ones are applied by reload_runner_config, restart_only ones when the Runner is started again.',
    'A file that cannot be used is no error: valid is false, code and faults say why.',
  ].join('\n'),
  inputSchema: RUNNER_SCHEMA,
  annotations: READS_ONLY,
});

/** Reached through `call_runtime_tool` (docs/reference/runtime-tools.md). */
export function checkRunnerConfig(invoker: Invoker, runners: RunnerPort): RuntimeTool {
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
            summary: 'What of runner.toml differs from what is in force. Nothing was changed.',
            run: (principal, call) => check(runners, principal, runner, call),
          },
        };
      }),
  };
}

async function check(port: RunnerPort, principal: Principal, id: string, call: string): Promise<Ending> {
  const runner = connectedRunner(port, principal, id);
  if (runner === undefined) return notStarted('runner_unavailable');
  const request = { kind: 'config_check' } as const satisfies RunnerRequest;
  const answer = await readFrom(port, runner, request, { budgetMs: linkLimits.readBudgetMs, call });
  if (!answer.ok) return answer;
  const { generation, valid, code, faults, ignored, changed, changed_count, restarts_plugins } =
    answer.payload;
  return done({
    runner: runner.runner,
    generation,
    valid,
    ...(code === undefined ? {} : { code }),
    faults,
    ignored,
    changed,
    changedCount: changed_count,
    restartsPlugins: restarts_plugins,
  });
}
