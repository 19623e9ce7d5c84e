import type { Certainty, JsonObject, Outcome } from '@fairlead/base';
import {
  checkResponse,
  outcomeOf,
  type RunnerPayload,
  type RunnerRequest,
  type RunnerResponse,
} from '@fairlead/protocol';
import type { CallRecord } from '../journal/call-record.ts';
import { callerCode } from '../runner-answers/caller-code.ts';
import {
  checkOutput,
  configReloadEnding,
  RELOAD_FAILED,
  RELOAD_RUNNER_CONFIG,
  reloadOutput,
} from '../runner-answers/effect-outputs.ts';
import { judgeAnswer } from '../runner-answers/runner-answer.ts';

/** What a Runner told about a call of its own process. `unheard`: nothing that can be used. */
export type Told =
  | {
      readonly kind: 'ended';
      readonly certainty: Certainty;
      /** As the journal shows it; null where nothing went wrong. */
      readonly code: string | null;
      /** What the action would have answered. */
      readonly result?: JsonObject;
    }
  | { readonly kind: 'running' }
  | { readonly kind: 'unheard' };

const UNHEARD: Told = Object.freeze({ kind: 'unheard' });

/**
 * Judges the answer to `outcome` by what the call was. The Runner is as little believed as when it answers a call itself: an answer
 * that cannot belong to the call is none.
 */
export function toldAbout(record: CallRecord, runner: string, answer: Outcome<RunnerPayload>): Told {
  const judged = judgeAnswer({ kind: 'outcome', call: record.id }, answer);
  if (!judged.ok) return UNHEARD;
  const { state, response } = judged.payload;
  switch (state) {
    case 'running':
      return { kind: 'running' };
    case 'never_seen':
      return { kind: 'ended', certainty: 'not_started', code: 'call_not_delivered' };
    case 'forgotten':
      return { kind: 'ended', certainty: 'outcome_unknown', code: 'call_forgotten' };
    case 'completed':
      return response === undefined ? UNHEARD : ended(record, runner, response);
  }
}

function ended(record: CallRecord, runner: string, response: RunnerResponse): Told {
  const request = requestOf(record);
  // The answer inside the answer was read where it came in; whose it is, is known only here.
  if (request === null || !checkResponse(request, response)) return UNHEARD;
  const judged = judgeAnswer<RunnerRequest>(request, outcomeOf(response));
  if (!judged.ok) {
    if (judged.code === 'invalid_plugin_response') return UNHEARD;
    const code = request.kind === 'tools_call' ? callerCode(judged.code) : judged.code;
    return { kind: 'ended', certainty: judged.certainty, code };
  }
  const { payload } = judged;
  switch (payload.kind) {
    case 'tools_call':
      return completed(payload.result['isError'] === true ? 'plugin_tool_error' : null, payload.result);
    case 'check':
      return completed(null, checkOutput(runner, payload));
    case 'reload':
      return completed(payload.failures.length > 0 ? RELOAD_FAILED : null, reloadOutput(runner, payload));
    case 'config_reload': {
      const ending = configReloadEnding(runner, payload);
      if ('output' in ending) return completed(null, ending.output);
      return { kind: 'ended', certainty: ending.certainty, code: ending.code };
    }
    default:
      return UNHEARD;
  }
}

function completed(code: string | null, result: JsonObject): Told {
  return { kind: 'ended', certainty: 'completed', code, result };
}

/** A request whose answers are those of the call: its kind, and what an answer must agree with. Null: it is no effect. */
function requestOf({ action, plugin, tool }: CallRecord): RunnerRequest | null {
  switch (action) {
    case 'call':
      return {
        kind: 'tools_call',
        provider: plugin ?? '',
        provider_instance: '',
        tool: tool ?? '',
        observation: '',
        arguments: {},
      };
    case 'check':
      return { kind: 'check', provider: plugin ?? '' };
    case 'reload':
      return { kind: 'reload' };
    case RELOAD_RUNNER_CONFIG:
      return { kind: 'config_reload' };
    default:
      return null;
  }
}
