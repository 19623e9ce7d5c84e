import { completed } from '@fairlead/base';
import { type RunnerRequest, type RunnerResponse, responseOf } from '@fairlead/protocol';
import type { Answer } from './provider/answer.ts';
import type { ProviderSet } from './providers/provider-set.ts';

/**
 * Carries out one request of the gateway. `deadlineMs` is what is left of its budget. `answer` is called once: at once for
 * `providers_list` and `tools_list`, which read memory only.
 */
export function answerRequest(
  providers: ProviderSet,
  request: RunnerRequest,
  deadlineMs: number,
  answer: Answer,
): void {
  switch (request.kind) {
    case 'tools_call':
      providers.call(request, deadlineMs, answer);
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
  }
}

/** `answerRequest` as the link carries it, for tests and benches. */
export function handleRequest(
  providers: ProviderSet,
  request: RunnerRequest,
  deadlineMs: number,
): Promise<RunnerResponse> {
  return new Promise((resolve) => {
    answerRequest(providers, request, deadlineMs, (outcome) => resolve(responseOf(outcome)));
  });
}
