import { deepFreeze, type Json, type JsonObject } from '@fairlead/base';
import { isLinkName, linkLimits } from '@fairlead/protocol';
import { readParams } from '../invocation/params.ts';
import type { TaskFault } from '../invocation/tool-task.ts';

/** The input of the tools about the configuration of one Runner. */
export const RUNNER_SCHEMA: JsonObject = deepFreeze({
  type: 'object',
  properties: {
    runner: {
      type: 'string',
      minLength: 1,
      maxLength: linkLimits.nameMaxBytes,
      description: 'Id of a connected Runner.',
    },
  },
  required: ['runner'],
  additionalProperties: false,
});

/** The Runner that is named, or what is wrong with the input of `tool`. */
export function readRunnerParams(
  tool: string,
  given: Json,
): { readonly ok: true; readonly runner: string } | { readonly ok: false; readonly fault: TaskFault } {
  const usage = `${tool} takes runner.`;
  const reading = readParams(given, { required: ['runner'] });
  if (!reading.ok)
    return { ok: false, fault: { code: 'invalid_arguments', action: tool, detail: reading.detail, usage } };
  const { runner } = reading.params;
  if (isLinkName(runner)) return { ok: true, runner };
  const isText = typeof runner === 'string';
  const detail = { member: 'runner', problem: isText ? 'invalid' : 'not_a_string' };
  const code = isText ? 'invalid_runner' : 'invalid_arguments';
  return { ok: false, fault: { code, action: tool, detail, usage } };
}
