import type { Certainty, Json } from '@fairlead/base';
import { type GatewayErrorCode, gatewayErrors } from '../errors.ts';

/** What stands in `error` of an answer. `recovery` says what to do next, `detail` what the code adds. */
type EnvelopeError = {
  readonly code: string;
  readonly message: string;
  readonly recovery?: string;
  readonly detail?: Json;
};

/** Every answer of the HTTP API has this shape (docs/reference/http-api.md, "The envelope"). */
export type Envelope = {
  readonly success: boolean;
  readonly output: Json;
  readonly error: EnvelopeError | null;
  readonly dispatch_certainty: Certainty;
  readonly failure_kind?: string;
  /** The journal's id of the invocation, once there is one. */
  readonly call?: string;
  /** The sidecars that were asked for, by name. */
  readonly context?: Json;
};

/** An answer that has a value. */
export function successEnvelope(output: Json): Envelope {
  return { success: true, output, error: null, dispatch_certainty: 'completed' };
}

/** An answer that has none: why, and whether it happened all the same. */
export function failureEnvelope(error: EnvelopeError, certainty: Certainty): Envelope {
  return { success: false, output: null, error, dispatch_certainty: certainty };
}

/** What a refusal may say beyond its code. */
export type RefusalExtras = {
  readonly message?: string;
  readonly detail?: Json;
  readonly certainty?: Certainty;
};

/** An answer of the gateway itself; `not_started` unless told otherwise. */
export function refusalEnvelope(code: GatewayErrorCode, extras: RefusalExtras = {}): Envelope {
  const { message, next } = gatewayErrors[code];
  const error: EnvelopeError = {
    code,
    message: extras.message ?? message,
    recovery: next,
    ...(extras.detail === undefined ? {} : { detail: extras.detail }),
  };
  return failureEnvelope(error, extras.certainty ?? 'not_started');
}
