import type { RunnerRequest } from '@fairlead/protocol';
import { mayUseRunner, type Principal } from '../principal.ts';
import {
  PLUGIN_CAPABILITY,
  type RunnerPort,
  type RunnerRequestOptions,
  type VisibleRunner,
} from '../runner-port.ts';
import { type JudgedAnswer, judgeAnswer, type PayloadOf } from './runner-answer.ts';

/** Every connected Runner with plugins that the principal may use, by id. */
export function usableRunners(port: RunnerPort, principal: Principal): VisibleRunner[] {
  return port
    .runners()
    .filter(
      (found) => mayUseRunner(principal, found.runner) && found.capabilities.includes(PLUGIN_CAPABILITY),
    )
    .toSorted((left, right) => (left.runner < right.runner ? -1 : 1));
}

/** One of them. A Runner that is not there and one that may not be used look alike. */
export function usableRunner(
  port: RunnerPort,
  principal: Principal,
  runner: string,
): VisibleRunner | undefined {
  if (!mayUseRunner(principal, runner)) return undefined;
  return port
    .runners()
    .find((found) => found.runner === runner && found.capabilities.includes(PLUGIN_CAPABILITY));
}

/** A connected Runner that the principal may use, with plugins or without. */
export function connectedRunner(
  port: RunnerPort,
  principal: Principal,
  runner: string,
): VisibleRunner | undefined {
  if (!mayUseRunner(principal, runner)) return undefined;
  return port.runners().find((found) => found.runner === runner);
}

/** The process of a Runner that an effect is addressed to, for the journal: only that one can say what became of it. */
export function addressOf(port: RunnerPort, runner: string): { readonly runnerInstance?: string } {
  const found = port.runners().find((connected) => connected.runner === runner);
  return found === undefined ? {} : { runnerInstance: found.instanceId };
}

/** The process that stands in the journal, if it still is the one. Between intent and dispatch another may have come in its place. */
export function addressed(
  found: VisibleRunner | undefined,
  instanceId: string | undefined,
): { readonly ok: true; readonly runner: VisibleRunner } | { readonly ok: false; readonly code: string } {
  if (found === undefined || instanceId === undefined) return { ok: false, code: 'runner_unavailable' };
  return found.instanceId === instanceId
    ? { ok: true, runner: found }
    : { ok: false, code: 'plugin_replaced' };
}

/** Asks a Runner for something that it only reads; one that was replaced meanwhile answers `plugin_replaced`. */
export async function readFrom<Request extends RunnerRequest>(
  port: RunnerPort,
  runner: VisibleRunner,
  request: Request,
  options: RunnerRequestOptions,
): Promise<JudgedAnswer<PayloadOf<Request>>> {
  const answer = judgeAnswer(request, await port.request(runner.runner, runner.instanceId, request, options));
  const now = port.runners().find((found) => found.runner === runner.runner);
  if (now !== undefined && now.instanceId !== runner.instanceId)
    return { ok: false, certainty: 'not_started', code: 'plugin_replaced' };
  if (!answer.ok && answer.code === 'stale_plugin_provider') return { ...answer, code: 'plugin_replaced' };
  return answer;
}
