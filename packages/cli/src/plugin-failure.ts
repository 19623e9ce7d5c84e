import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { Answer, Envelope } from './api-client.ts';
import type { CommandContext } from './command-context.ts';
import { nextStepOf } from './error-tables.ts';
import { exitCodes } from './exit-codes.ts';
import { labelled, safeLine } from './plugin-output.ts';

/** Actions whose loss leaves something that may have happened. */
const effects: ReadonlySet<string> = new Set(['call', 'check', 'reload']);

const scopeOf: Readonly<Record<string, string>> = {
  list: 'plugin:inspect',
  describe: 'plugin:inspect',
  call: 'plugin:invoke',
  check: 'plugin:manage',
  reload: 'plugin:manage',
};

/**
 * Prints why an action gave nothing and returns the exit status. With `--json` the object that MCP clients get for the same
 * failure stands on stdout: `{error: {code, message}, dispatchState, recovery?}`.
 */
export function reportFailure(
  context: CommandContext,
  options: { readonly action: string; readonly json: boolean | undefined; readonly answer: Answer },
): number {
  const { action, answer } = options;
  if (answer.kind !== 'answered') return reportLost(context, action, options.json, answer.reason);
  const { envelope } = answer;
  const error = envelope.error ?? { code: 'unexplained', message: 'the server gave no reason' };
  if (options.json === true) context.stdout(`${JSON.stringify(failureObject(envelope))}\n`);
  context.stderr(`fairlead: ${safeLine(error.message)} (${safeLine(error.code)})\n`);
  if (answer.status === 401 || answer.status === 403) {
    context.stderr(
      `  ${action} needs the scope ${scopeOf[action] ?? 'plugin:inspect'}; no token was made or changed\n`,
    );
  }
  context.stderr(`  ${labelled('certainty', envelope.dispatch_certainty)}`);
  if (envelope.call !== undefined) context.stderr(`  ${labelled('call', envelope.call)}`);
  const next = error.recovery ?? nextStepOf(error.code);
  if (next !== null) context.stderr(`  next: ${safeLine(next)}\n`);
  if (envelope.dispatch_certainty === 'outcome_unknown' && effects.has(action)) return exitCodes.unknown;
  return exitCodes.failed;
}

function reportLost(
  context: CommandContext,
  action: string,
  json: boolean | undefined,
  reason: string,
): number {
  if (json === true) {
    const error = { code: 'answer_lost', message: 'the answer was lost' };
    context.stdout(`${JSON.stringify({ error, dispatchState: 'outcome_unknown' })}\n`);
  }
  if (!effects.has(action)) {
    context.stderr(`fairlead: the answer was lost: ${safeLine(reason)} (answer_lost)\n`);
    return exitCodes.failed;
  }
  context.stderr(
    `fairlead: the ${action} was sent and its answer was lost: ${safeLine(reason)} (answer_lost)\n` +
      '  certainty: outcome_unknown; it was not tried again\n' +
      '  next: look at the present state with `fairlead plugin list` before you decide to do it again\n',
  );
  return exitCodes.unknown;
}

function failureObject(envelope: Envelope): Json {
  const { error, dispatch_certainty: dispatchState, call } = envelope;
  return {
    error: error === null ? null : { code: error.code, message: error.message },
    dispatchState,
    ...(error?.recovery === undefined ? {} : { recovery: error.recovery }),
    ...(call === undefined ? {} : { call }),
  };
}

/** The output object of a successful answer, or null. A provider's own `isError` counts as an answer. */
export function outputOf(answer: Answer): JsonObject | null {
  if (answer.kind !== 'answered' || answer.envelope.error !== null) return null;
  return isJsonObject(answer.envelope.output) ? answer.envelope.output : null;
}
