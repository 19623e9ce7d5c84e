import { type Certainty, isJsonObject, type Json } from '@fairlead/base';
import { linkLimits } from './limits.ts';
import { isCode, isText } from './names.ts';
import { type RunnerPayload, readRunnerPayload } from './runner-payload.ts';
import type { RunnerRequest } from './runner-request.ts';

/** A Runner's answer: what is certain, and exactly one of payload and error. */
export type RunnerResponse =
  | { readonly dispatch_state: Certainty; readonly payload: RunnerPayload }
  | {
      readonly dispatch_state: Certainty;
      readonly error: { readonly code: string; readonly message: string };
    };

/** Holds a parsed value against the form of a response; null means `invalid_plugin_response`. */
export function readRunnerResponse(value: Json | undefined): RunnerResponse | null {
  if (value === undefined || !isJsonObject(value) || Object.keys(value).length !== 2) return null;
  const { dispatch_state: state, payload, error } = value;
  if (state !== 'completed' && state !== 'not_started' && state !== 'outcome_unknown') return null;
  if (payload !== undefined) {
    // Without completion there is nothing to hand over.
    if (state !== 'completed') return null;
    const read = readRunnerPayload(payload);
    return read === null ? null : { dispatch_state: state, payload: read };
  }
  if (error === undefined || !isJsonObject(error) || Object.keys(error).length !== 2) return null;
  const { code, message } = error;
  if (!isCode(code) || !isText(message, 1, linkLimits.messageMaxBytes)) return null;
  return { dispatch_state: state, error: { code, message } };
}

/**
 * True when a response can be the answer to a request: an error always can; a payload only with `completed`, of the
 * request's kind, and about the provider, project or call that was asked for. False means `invalid_plugin_response`.
 */
export function checkResponse(request: RunnerRequest, response: RunnerResponse): boolean {
  if ('error' in response) return true;
  const { payload } = response;
  if (response.dispatch_state !== 'completed' || payload.kind !== request.kind) return false;
  if (request.kind === 'project_catalog') return 'project' in payload && payload.project === request.project;
  if (request.kind === 'outcome') return 'call' in payload && payload.call === request.call;
  if (request.kind !== 'check' && request.kind !== 'tools_list') return true;
  return 'provider' in payload && payload.provider === request.provider;
}
