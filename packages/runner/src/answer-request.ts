import { completed } from '@fairlead/base';
import { type RunnerRequest, type RunnerResponse, responseOf } from '@fairlead/protocol';
import type { RunnerConfiguration } from './configuration/runner-configuration.ts';
import { type Answer, refusal } from './provider/answer.ts';
import type { ProviderSet } from './providers/provider-set.ts';

/**
 * Carries out one request of the gateway. `budgetMs` is what is left of the time for it. `answer` is called once: at once for
 * `providers_list`, `tools_list` and `project_catalog`, which read memory only. A provider set alone has no `configuration`,
 * and refuses what is about it.
 */
export function answerRequest(
  providers: ProviderSet,
  request: RunnerRequest,
  budgetMs: number,
  answer: Answer,
  configuration?: RunnerConfiguration,
): void {
  switch (request.kind) {
    case 'tools_call':
      providers.call(request, budgetMs, answer);
      return;
    case 'providers_list':
      answer(completed({ kind: 'providers_list', providers: providers.rows() }));
      return;
    case 'tools_list':
      answer(providers.catalog(request.provider));
      return;
    case 'check':
      providers.check(request.provider, answer);
      return;
    case 'reload':
      providers.reload(answer);
      return;
    case 'project_catalog':
      answer(configuration?.catalog(request.project) ?? UNKNOWN);
      return;
    case 'config_check':
      if (configuration === undefined) answer(UNKNOWN);
      else configuration.check(answer);
      return;
    case 'config_reload':
      if (configuration === undefined) answer(UNKNOWN);
      else configuration.reload(answer);
      return;
    case 'outcome':
      // The ledger of the link answers it; without a link there is nothing that could be lost.
      answer(UNKNOWN);
      return;
  }
}

const UNKNOWN = refusal('invalid_plugin_request', 'not_started');

/** `answerRequest` as the link carries it, for tests and benches. */
export function handleRequest(
  providers: ProviderSet,
  request: RunnerRequest,
  budgetMs: number,
  configuration?: RunnerConfiguration,
): Promise<RunnerResponse> {
  return new Promise((resolve) => {
    const answer: Answer = (outcome) => resolve(responseOf(outcome));
    answerRequest(providers, request, budgetMs, answer, configuration);
  });
}
