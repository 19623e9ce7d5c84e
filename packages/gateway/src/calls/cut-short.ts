import type { Certainty, Json } from '@fairlead/base';
import { READ_LOST, readsOnly } from '@fairlead/dispatch';
import { gatewayErrors } from '../errors.ts';

/** Why a call is answered before, or without, what its tool came to. */
export type CutShort = 'request_timeout' | 'gateway_stopping' | 'internal_error';

/** What a caller is told then, whichever face asked: what the tool did, or does yet, is not known here. */
export function cutShort(
  code: CutShort,
  { tool, params }: { readonly tool: string; readonly params: Json },
): {
  readonly code: CutShort;
  readonly message: string;
  readonly recovery: string;
  readonly certainty: Certainty;
} {
  const { message, next } = gatewayErrors[code];
  return readsOnly(tool, params)
    ? { code, message, recovery: `${READ_LOST} ${next}`, certainty: 'not_started' }
    : { code, message, recovery: next, certainty: 'outcome_unknown' };
}
