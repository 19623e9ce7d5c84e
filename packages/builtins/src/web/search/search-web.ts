import type { Json, JsonObject } from '@fairlead/base';
import { type Certainty, ToolFault } from '@fairlead/extension';
import type { Caller } from '../../builtin-peer.ts';
import { allowed, type BuiltinErrorCode, builtinErrors } from '../../errors.ts';
import { webLimits } from '../../limits.ts';
import type { SearchBackend, WebAnswer, WebPeer } from '../../peer/web-peer.ts';
import type { PageReader } from '../page/page-reader.ts';
import { pageText } from '../page/page-text.ts';
import type { SearchResult } from '../page/search-result.ts';
import { DEFAULT_SEARCH, searchAddress, searchEngines } from './search-engine.ts';

export interface WebSearch {
  readonly caller: Caller;
  readonly query: string;
  readonly max: number;
  readonly signal: AbortSignal;
}

/** Why an engine gave nothing. */
interface Failure {
  readonly certainty: Certainty;
  readonly code: string;
  readonly message: string;
  /** Behind the engine's name; empty where the message says it all. */
  readonly reason: string;
}

type Asked =
  | { readonly ok: true; readonly results: readonly SearchResult[] }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Asks the engines one after the other, under the network grants of the call, until one answers; that it found nothing is an answer. A search
 * changes nothing, so that nothing of it is unknown: it is `not_started` where no engine was reached at all, else `completed`.
 *
 * Faults: of the last engine, its code; `detail.tried` has them all.
 */
export async function searchWeb(
  peer: WebPeer,
  reader: PageReader,
  search: WebSearch,
): Promise<readonly SearchResult[]> {
  const failures: [SearchBackend, Failure][] = [];
  for (const backend of peer.search.length === 0 ? DEFAULT_SEARCH : peer.search) {
    if (search.signal.aborted) break;
    const asked = await ask(peer, reader, backend, search);
    if (asked.ok) return asked.results.slice(0, search.max);
    failures.push([backend, asked.failure]);
  }
  throw faultOf(failures);
}

async function ask(
  peer: WebPeer,
  reader: PageReader,
  backend: SearchBackend,
  { caller, query, max, signal }: WebSearch,
): Promise<Asked> {
  const engine = searchEngines[backend.type];
  const { key = '' } = backend;
  if (engine.needsKey && key === '') return failed('not_started', 'search_key_missing');
  const request = engine.request({ base: searchAddress(backend), key, query, max });
  const limits = { maxBytes: webLimits.searchMaxBytes, timeoutMs: webLimits.searchMs, signal };
  const outcome = await allowed(peer.request(caller, { ...request, ...limits }));
  if (!('value' in outcome)) {
    const { code, message } = outcome.fault;
    const certainty = outcome.certainty === 'not_started' ? 'not_started' : 'completed';
    return { ok: false, failure: { certainty, code, message, reason: code } };
  }
  const { value: answer } = outcome;
  // DuckDuckGo says 202 to those whom it does not answer.
  if (answer.status !== 200) return failed('completed', 'search_unavailable', `status ${answer.status}`);
  if (answer.isCut) return failed('completed', 'search_answer_invalid', 'it is too long');
  const results =
    engine.read === undefined ? await onPage(reader, answer, signal) : engine.read(jsonOf(answer));
  return results === undefined ? failed('completed', 'search_answer_invalid') : { ok: true, results };
}

/** A page without results is one that asks whether somebody is a machine, or a new one. */
async function onPage(
  reader: PageReader,
  answer: WebAnswer,
  signal: AbortSignal,
): Promise<readonly SearchResult[] | undefined> {
  const { text: html } = pageText(answer.body, typeOf(answer));
  const reading = await reader.read<'results'>({ kind: 'results', html }, signal);
  return reading.ok && reading.value.length > 0 ? reading.value : undefined;
}

/** Null for what is none. Read more mildly than at our own borders: half an emoji at the end of a snippet must not cost an answer. */
function jsonOf({ body }: WebAnswer): Json {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  } catch {
    return null;
  }
}

/** The header, as one text. */
function typeOf({ headers }: WebAnswer): string {
  const type = headers['content-type'];
  return typeof type === 'string' ? type : '';
}

function failed(certainty: Certainty, code: BuiltinErrorCode, reason = ''): Asked {
  return {
    ok: false,
    failure: { certainty, code, message: builtinErrors[code].message, reason: reason || code },
  };
}

function faultOf(failures: readonly (readonly [SearchBackend, Failure])[]): ToolFault {
  const last = failures.at(-1);
  if (last === undefined)
    return new ToolFault('not_started', builtinErrors.search_unavailable.message, {
      code: 'search_unavailable',
    });
  const [, { code, message }] = last;
  const isStarted = failures.some(([, { certainty }]) => certainty !== 'not_started');
  const words = failures.map(([{ type }, { reason }]) => `${type}: ${reason}`).join('; ');
  const tried: JsonObject[] = failures.map(([{ type: engine }, failure]) => ({ engine, code: failure.code }));
  return new ToolFault(isStarted ? 'completed' : 'not_started', `${message} (${words})`, {
    code,
    detail: { tried },
  });
}
