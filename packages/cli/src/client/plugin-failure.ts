import { type Certainty, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { CommandContext } from '../command-context.ts';
import { nextStepOf } from '../error-tables.ts';
import { cliErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { jsonLine, labelled, safeLine } from '../output/safe-text.ts';
import type { PluginAction } from './plugin-tool-request.ts';
import type { SentAnswer } from './tool-request.ts';

/** What can fail: an action of `plugin_tool`, or a command about the configuration of a Runner. */
export type FailedAction = PluginAction | 'check-config' | 'reload-config';

/** What each action needs, and whether its loss leaves something that may have happened. */
const actions: Readonly<Record<FailedAction, { readonly scope: string; readonly hasEffect: boolean }>> = {
  list: { scope: 'plugin:inspect', hasEffect: false },
  describe: { scope: 'plugin:inspect', hasEffect: false },
  call: { scope: 'plugin:invoke', hasEffect: true },
  check: { scope: 'plugin:manage', hasEffect: true },
  reload: { scope: 'plugin:manage', hasEffect: true },
  outcome: { scope: 'plugin:invoke', hasEffect: false },
  'check-config': { scope: 'runner:manage', hasEffect: false },
  'reload-config': { scope: 'runner:manage', hasEffect: true },
};

/** The output object of a successful answer, or null. A provider's own `isError` counts as an answer. */
export function outputOf(answer: SentAnswer): JsonObject | null {
  if (answer.kind !== 'answered' || answer.envelope.error !== null) return null;
  return isJsonObject(answer.envelope.output) ? answer.envelope.output : null;
}

/**
 * Prints why an action gave nothing and returns the exit status. With `json` the object that MCP clients get for the same
 * failure stands on stdout: `{error: {code, message, detail?}, dispatchState, recovery?, call?}`.
 */
export async function reportFailure(
  context: CommandContext,
  failed: { readonly action: FailedAction; readonly json: boolean | undefined; readonly answer: SentAnswer },
): Promise<number> {
  const { action, json, answer } = failed;
  const { scope, hasEffect } = actions[action];
  const failure = failureOf(answer, hasEffect);
  const { code, message, certainty, call, reason } = failure;
  if (json === true) context.stdout(jsonLine(failureObject(failure)));
  const print = (line: string) => context.stderr(`  ${line}\n`);
  context.stderr(`fairlead: ${safeLine(message)} (${safeLine(code)})\n`);
  if (reason !== undefined) print(labelled('reason', reason).trimEnd());
  const isRefusal = answer.kind === 'refused' || code === 'unauthorized' || code === 'insufficient_scope';
  if (isRefusal) print(`${action} needs the scope ${scope}; no token was made or changed`);
  print(labelled('certainty', certainty).trimEnd());
  if (call !== undefined) print(labelled('call', call).trimEnd());
  const next = failure.next ?? (await nextStepOf(code));
  if (next !== null) print(`next: ${safeLine(next)}`);
  const isUnknown = certainty === 'outcome_unknown' && hasEffect;
  return isUnknown ? exitCodes.unknown : exitCodes.failed;
}

type Failure = {
  readonly code: string;
  readonly message: string;
  readonly certainty: Certainty;
  readonly next?: string | undefined;
  readonly call?: string | undefined;
  readonly reason?: string;
  /** What the code adds. */
  readonly detail?: Json | undefined;
};

/** The gateway's own words, or ours for answers that are none of a gateway's. */
function failureOf(answer: SentAnswer, hasEffect: boolean): Failure {
  if (answer.kind === 'answered' && answer.envelope.error !== null) {
    const { error, dispatch_certainty: certainty, call } = answer.envelope;
    const { code, message, recovery: next, detail } = error;
    return { code, message, certainty, next, call, detail };
  }
  if (answer.kind === 'refused') {
    const { message, next } = cliErrors.access_refused;
    return {
      code: 'access_refused',
      message,
      certainty: 'not_started',
      next,
      reason: `HTTP ${answer.status}`,
    };
  }
  const reason = answer.kind === 'lost' ? answer.reason : 'an answer without its output';
  // What only reads has done nothing, whether it arrived or not.
  if (!hasEffect) return { code: 'read_lost', ...wordsOf('read_lost'), certainty: 'not_started', reason };
  const { message, next } = wordsOf('answer_lost');
  return {
    code: 'answer_lost',
    message,
    certainty: 'outcome_unknown',
    next: `It may have been carried out; it was not tried again. ${next}`,
    reason,
  };
}

function wordsOf(code: 'answer_lost' | 'read_lost'): { readonly message: string; readonly next: string } {
  const { message, next } = cliErrors[code];
  return { message, next };
}

function failureObject({ code, message, certainty, next, call, detail }: Failure): Json {
  return {
    error: { code, message, ...(detail === undefined ? {} : { detail }) },
    dispatchState: certainty,
    ...(next === undefined ? {} : { recovery: next }),
    ...(call === undefined ? {} : { call }),
  };
}
