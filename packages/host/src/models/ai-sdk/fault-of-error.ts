import { faultOfStatus } from '../fault-of-status.ts';
import { ModelFault } from '../model.ts';
import type { WatchedRequest } from './watched-request.ts';
import { safeWords } from './what-it-said.ts';

/**
 * What an error of the AI SDK means, thrown or as a piece of a stream: an error that the back end sent in its stream (with a status where it
 * or the SDK names one), a stream without an end, or a piece that is no piece of a reply.
 */
export function faultOfError(
  thrown: unknown,
  request: WatchedRequest,
  secret: string | undefined,
): ModelFault {
  if (thrown instanceof ModelFault) return thrown;
  const { message, statusCode, code } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as {
    readonly message?: unknown;
    readonly statusCode?: unknown;
    readonly code?: unknown;
  };
  const status = [statusCode, code].find(isStatus);
  if (thrown instanceof Error && status === undefined) {
    const broken = request.ended && thrown.name === 'AI_InvalidResponseDataError';
    return new ModelFault(broken ? 'model_stream_broken' : 'model_reply_invalid', {
      retryable: true,
      cause: thrown,
    });
  }
  const said = typeof message === 'string' ? safeWords(message, secret) : undefined;
  return faultOfStatus(status ?? 500, { free: false, ...(said === undefined ? {} : { said }) });
}

function isStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599;
}
