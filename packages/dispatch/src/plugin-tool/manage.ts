import { singleLine } from '@fairlead/base';
import { isProviderId, linkLimits, type RunnerRequest } from '@fairlead/protocol';
import { done, type Ending, notStarted } from '../invocation/ending.ts';
import type { Principal } from '../principal.ts';
import type { RunnerPort } from '../runner-port.ts';
import type { PluginToolInput } from './input.ts';
import { pluginsOf } from './provider-rows.ts';
import { usableRunner } from './runner-access.ts';
import { judgeAnswer } from './runner-answer.ts';

type CheckInput = Extract<PluginToolInput, { readonly action: 'check' }>;
type ReloadInput = Extract<PluginToolInput, { readonly action: 'reload' }>;
type CheckRequest = Extract<RunnerRequest, { readonly kind: 'check' }>;
type ReloadRequest = Extract<RunnerRequest, { readonly kind: 'reload' }>;

const budgetMs = linkLimits.manageBudgetMs;

/** Starts the configured program as a candidate and reports; a candidate that fails is a report, not an error. */
export async function check(
  port: RunnerPort,
  principal: Principal,
  input: CheckInput,
  call: string,
): Promise<Ending> {
  const runner = usableRunner(port, principal, input.runner);
  if (runner === undefined) return notStarted('runner_unavailable');
  if (!isProviderId(input.plugin)) return notStarted('plugin_unavailable');
  const request: CheckRequest = { kind: 'check', provider: input.plugin };
  const answer = judgeAnswer(
    request,
    await port.request(runner.runner, runner.instanceId, request, { budgetMs, call }),
  );
  if (!answer.ok) return answer;
  const { provider, ready, phase, tools, code, detail, diagnostic } = answer.payload;
  return done({
    runner: runner.runner,
    plugin: provider,
    ready,
    phase,
    toolCount: tools.length,
    tools,
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail: singleLine(detail) }),
    ...(diagnostic === undefined ? {} : { diagnostic }),
  });
}

/** Starts every configured plugin anew and swaps them in together; candidates that fail are named and change nothing. */
export async function reload(
  port: RunnerPort,
  principal: Principal,
  input: ReloadInput,
  call: string,
): Promise<Ending> {
  const runner = usableRunner(port, principal, input.runner);
  if (runner === undefined) return notStarted('runner_unavailable');
  const request: ReloadRequest = { kind: 'reload' };
  const answer = judgeAnswer(
    request,
    await port.request(runner.runner, runner.instanceId, request, { budgetMs, call }),
  );
  if (!answer.ok) return answer;
  const { providers, failures } = answer.payload;
  return done({ runner: runner.runner, plugins: pluginsOf(providers), failures });
}
