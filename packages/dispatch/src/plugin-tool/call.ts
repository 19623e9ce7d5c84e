import { linkLimits, type RunnerRequest } from '@fairlead/protocol';
import type { BindingBook } from '../bindings/binding-book.ts';
import { answered, type Ending, notStarted } from '../invocation/ending.ts';
import { mayUseRunner, type Principal } from '../principal.ts';
import { callerCode } from '../runner-answers/caller-code.ts';
import { usableRunner } from '../runner-answers/runner-access.ts';
import { judgeAnswer } from '../runner-answers/runner-answer.ts';
import type { RunnerPort } from '../runner-port.ts';
import { argumentsFault } from './arguments-fault.ts';
import type { PluginToolInput } from './input.ts';

type CallInput = Extract<PluginToolInput, { readonly action: 'call' }>;
type CallRequest = Extract<RunnerRequest, { readonly kind: 'tools_call' }>;

/** After these a binding can never serve again. */
const ENDS_BINDING: ReadonlySet<string> = new Set([
  'plugin_replaced',
  'plugin_schema_changed',
  'plugin_tool_unavailable',
]);

/** Calls the tool that a binding stands for, on the instance that was described, once. */
export async function callTool(
  port: RunnerPort,
  bindings: BindingBook,
  principal: Principal,
  input: CallInput,
  call: string,
): Promise<Ending> {
  const observed = bindings.resolve(input.binding);
  if (observed === undefined || !mayUseRunner(principal, observed.runner))
    return notStarted('describe_required');
  const runner = usableRunner(port, principal, observed.runner);
  // The same instance may come back; another one never becomes it.
  if (runner === undefined) return notStarted('runner_unavailable');
  if (runner.instanceId !== observed.runnerInstance) {
    bindings.forget(input.binding);
    return notStarted('plugin_replaced');
  }
  const request: CallRequest = {
    kind: 'tools_call',
    provider: observed.plugin,
    provider_instance: observed.providerInstance,
    tool: observed.tool,
    observation: observed.observation,
    arguments: input.arguments,
  };
  const budgetMs = observed.timeoutSecs * 1_000 + linkLimits.callMarginMs;
  const answer = judgeAnswer(
    request,
    await port.request(observed.runner, observed.runnerInstance, request, { budgetMs, call }),
  );
  if (answer.ok) return answered(answer.payload.result);
  const { certainty } = answer;
  const code = callerCode(answer.code);
  if (ENDS_BINDING.has(code)) bindings.forget(input.binding);
  if (code !== 'plugin_arguments_schema_invalid' || certainty !== 'not_started') return { certainty, code };
  return { certainty, code, ...(await argumentsFault(bindings, input.binding, input.arguments)) };
}
