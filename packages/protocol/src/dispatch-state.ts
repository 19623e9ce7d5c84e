import { completed, encodeJson, failed, hasValue, type Outcome, singleLine } from '@fairlead/base';
import { linkLimits } from './limits.ts';
import type { RunnerPayload } from './runner-payload.ts';
import type { RunnerResponse } from './runner-response.ts';

// The one place where a certainty becomes the link's `dispatch_state` and back.

/** What a Runner's answer means. */
export function outcomeOf(response: RunnerResponse): Outcome<RunnerPayload> {
  if ('payload' in response) return completed(response.payload);
  return failed(response.dispatch_state, response.error.code, response.error.message);
}

/**
 * An outcome as a Runner's answer. A fault's detail stays behind; its message becomes one line of at most 512 bytes.
 */
export function responseOf(outcome: Outcome<RunnerPayload>): RunnerResponse {
  if (hasValue(outcome)) return { dispatch_state: 'completed', payload: outcome.value };
  const { code, message } = outcome.fault;
  return { dispatch_state: outcome.certainty, error: { code, message: linkMessage(message, code) } };
}

/** An outcome as the text of a Runner's answer. */
export function encodeResponse(outcome: Outcome<RunnerPayload>): string {
  return encodeJson(responseOf(outcome));
}

function linkMessage(message: string, code: string): string {
  let line = singleLine(message).toWellFormed().trim();
  if (line === '') line = code;
  if (Buffer.byteLength(line) <= linkLimits.messageMaxBytes) return line;
  const cut = Buffer.from(line)
    .subarray(0, linkLimits.messageMaxBytes - 3)
    .toString('utf8');
  // A character cut in half decodes as U+FFFD, which is not what was written.
  return `${cut.replace(/\ufffd$/, '')}…`;
}
