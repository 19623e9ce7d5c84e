import type { CallEnd, CallRequest } from './call-end.ts';
import type { CallFloor } from './call-floor.ts';
import type { CallPlace } from './call-place.ts';

/**
 * One tool call of a session: looked up, guarded, parsed, judged by extensions, held against grants, approved where somebody must, written down, run,
 * and its end written down. What is refused writes its two entries. Rejects only where nothing ran and the store cannot write that.
 */
export function runCall(_floor: CallFloor, _place: CallPlace, _request: CallRequest): Promise<CallEnd> {
  return Promise.reject(new Error('not built yet'));
}
