import type { Json } from '@fairlead/base';
import type { FastifyError } from 'fastify';
import type { GatewayErrorCode } from '../errors.ts';
import { InvalidBody } from './json-body.ts';

/** Why a request failed before or in its handler, as a code of ours; anything that is not the client's doing is `internal_error`. */
export type RequestFault = { readonly code: GatewayErrorCode; readonly detail?: Json };

/** What fastify stopped for: mostly refusals before a handler runs, when nothing has been handled. */
export function requestFault(error: Partial<FastifyError>): RequestFault {
  if (error instanceof InvalidBody) return { code: 'invalid_body', detail: { fault: error.fault } };
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { code: 'body_too_large' };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { code: 'unsupported_media_type' };
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return { code: 'route_not_found' };
    case 'ECONNRESET':
      return { code: 'malformed_request' };
  }
  const { statusCode = 500 } = error;
  return { code: statusCode >= 400 && statusCode < 500 ? 'malformed_request' : 'internal_error' };
}

/**
 * Whether the connection goes on after this refusal, although fastify would close it. A body that was read whole and is no JSON says nothing
 * about what comes behind it: closed, the answers to that would be lost. One that is too large is still being sent: cut off, its
 * client would never read the answer.
 */
export function keepsConnection(code: GatewayErrorCode): boolean {
  return code === 'body_too_large' || code === 'invalid_body';
}
