import { isProviderId, linkLimits, type RunnerRequest } from '@fairlead/protocol';
import { done, type Ending, notStarted } from '../invocation/ending.ts';
import type { Principal } from '../principal.ts';
import { checkOutput, RELOAD_FAILED, reloadOutput } from '../runner-answers/effect-outputs.ts';
import { addressed, usableRunner } from '../runner-answers/runner-access.ts';
import { judgeAnswer } from '../runner-answers/runner-answer.ts';
import type { RunnerPort } from '../runner-port.ts';
import type { PluginToolInput } from './input.ts';

type CheckInput = Extract<PluginToolInput, { readonly action: 'check' }>;
type ReloadInput = Extract<PluginToolInput, { readonly action: 'reload' }>;
type CheckRequest = Extract<RunnerRequest, { readonly kind: 'check' }>;
type ReloadRequest = Extract<RunnerRequest, { readonly kind: 'reload' }>;

const budgetMs = linkLimits.manageBudgetMs;

/**
 * Starts the configured program as a candidate and reports; a candidate that fails is a report, not an error. `instanceId`: the process
 * that the journal names.
 */
export async function check(
  port: RunnerPort,
  principal: Principal,
  input: CheckInput,
  instanceId: string | undefined,
  call: string,
): Promise<Ending> {
  const address = addressed(usableRunner(port, principal, input.runner), instanceId);
  if (!address.ok) return notStarted(address.code);
  if (!isProviderId(input.plugin)) return notStarted('plugin_unavailable');
  const request: CheckRequest = { kind: 'check', provider: input.plugin };
  const answer = judgeAnswer(
    request,
    await port.request(input.runner, address.runner.instanceId, request, { budgetMs, call }),
  );
  return answer.ok ? done(checkOutput(input.runner, answer.payload)) : answer;
}

/**
 * Starts every configured plugin anew and swaps them in together; candidates that fail are named and change nothing. `instanceId`: the
 * process that the journal names.
 */
export async function reload(
  port: RunnerPort,
  principal: Principal,
  input: ReloadInput,
  instanceId: string | undefined,
  call: string,
): Promise<Ending> {
  const address = addressed(usableRunner(port, principal, input.runner), instanceId);
  if (!address.ok) return notStarted(address.code);
  const request: ReloadRequest = { kind: 'reload' };
  const answer = judgeAnswer(
    request,
    await port.request(input.runner, address.runner.instanceId, request, { budgetMs, call }),
  );
  if (!answer.ok) return answer;
  const ending = done(reloadOutput(input.runner, answer.payload));
  return answer.payload.failures.length === 0 ? ending : { ...ending, journalCode: RELOAD_FAILED };
}
