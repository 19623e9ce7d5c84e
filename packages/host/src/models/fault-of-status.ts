import type { Json } from '@fairlead/base';
import type { HostErrorCode } from '../errors.ts';
import { ModelFault } from './model.ts';

/** What a refusal says beside its status. */
export interface StatusDetails {
  /** What the back end asked to wait. */
  readonly afterMs?: number;
  /** Its own words, already short and safe. */
  readonly said?: string;
  /** False where part of a reply had come already; true unless given. */
  readonly free?: boolean;
}

/**
 * The fault for an HTTP status that is no success. May succeed later: 408, 409 (somebody else held what it needs), 429 and 5xx. Never:
 * any other, a redirect too, because the key and the conversation go where the operator said and nowhere else.
 */
export function faultOfStatus(status: number, details: StatusDetails = {}): ModelFault {
  const { afterMs, said, free = true } = details;
  const detail: Json = {
    status,
    ...(said === undefined ? {} : { said }),
    ...(afterMs === undefined ? {} : { afterMs }),
  };
  const retryable = status === 408 || status === 409 || status === 429 || status >= 500;
  return new ModelFault(codeOf(status), {
    retryable,
    free,
    what: `HTTP ${status}`,
    detail,
    ...(retryable && afterMs !== undefined ? { afterMs } : {}),
  });
}

function codeOf(status: number): HostErrorCode {
  switch (status) {
    case 401:
    case 403:
      return 'model_denied';
    case 404:
      return 'model_not_found';
    case 408:
    case 409:
      return 'model_unavailable';
    case 429:
      return 'model_rate_limited';
    default:
      return status >= 500 ? 'model_unavailable' : 'model_request_refused';
  }
}
