import { FairleadError, isJsonObject } from '@fairlead/base';
import { nextStepOf } from '../../error-tables.ts';
import { cliErrors } from '../../errors.ts';
import { word } from '../model/block.ts';
import type { Fault } from '../model/chat-events.ts';

/** What a request was refused with, and what to do: how a line is typed, where that was wrong. */
export async function faultOf(error: unknown): Promise<Fault> {
  if (!(error instanceof FairleadError)) {
    const { message, next } = cliErrors.internal_error;
    return { code: 'internal_error', message, next };
  }
  const { code, message, detail } = error;
  const usage = isJsonObject(detail ?? null) ? word((detail as { usage?: string })['usage']) : '';
  return { code, message, next: usage === '' ? await nextStepOf(code) : usage };
}
