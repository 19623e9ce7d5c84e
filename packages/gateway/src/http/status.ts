/**
 * HTTP status by code; every code that is not here is 400, an unknown outcome included. There is no 5xx on purpose:
 * proxies and clients repeat what answered 5xx, and nothing here may be repeated unasked.
 */
const STATUS: ReadonlyMap<string, number> = new Map([
  ['unauthorized', 401],
  ['insufficient_scope', 403],
  ['host_not_allowed', 403],
  ['origin_not_allowed', 403],
  ['local_only', 403],
  ['unknown_tool', 404],
  ['route_not_found', 404],
  ['method_not_allowed', 405],
  ['request_incomplete', 408],
  ['body_too_large', 413],
  ['unsupported_media_type', 415],
  ['upgrade_required', 426],
  ['headers_too_large', 431],
]);

/** The status of an answer whose error has this code. */
export function statusOf(code: string): number {
  return STATUS.get(code) ?? 400;
}
