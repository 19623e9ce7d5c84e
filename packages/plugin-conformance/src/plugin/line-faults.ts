import { isJsonObject, type Json, type JsonFault, type JsonObject, parseJson } from '@fairlead/base';
import { frameBounds, linkLimits } from '@fairlead/protocol';
import type { ClauseFault } from '../clauses/clause-fault.ts';
import type { ClauseId } from '../clauses/clauses.ts';
import { shownBytes, shownValue } from './shown.ts';

/** A line as the answer to one request, or the first thing that is wrong with it. */
export type ReadAnswer =
  | { readonly kind: 'result'; readonly result: Json; readonly bytes: number }
  | { readonly kind: 'error'; readonly code: number }
  | { readonly kind: 'fault'; readonly fault: ClauseFault };

const JSON_CLAUSES: Readonly<Record<JsonFault, readonly [ClauseId, string]>> = {
  syntax: ['wire.framing.json', 'one JSON text (RFC 8259)'],
  invalid_utf8: ['wire.framing.utf8', 'UTF-8'],
  duplicate_key: ['wire.framing.unique-members', 'each member once in an object'],
  lone_surrogate: ['wire.framing.surrogates', 'surrogates in pairs'],
  number_not_finite: ['wire.framing.finite-numbers', 'finite numbers'],
  integer_out_of_range: ['wire.framing.safe-integers', 'integers within ±9,007,199,254,740,991'],
  bytes: ['wire.framing.max-bytes', 'a line of at most 1,048,576 bytes'],
  // A frame bounds its bytes alone, which the other limits never pass.
  depth: ['wire.framing.max-bytes', 'a line of at most 1,048,576 bytes'],
  nodes: ['wire.framing.max-bytes', 'a line of at most 1,048,576 bytes'],
  string_bytes: ['wire.framing.max-bytes', 'a line of at most 1,048,576 bytes'],
  key_bytes: ['wire.framing.max-bytes', 'a line of at most 1,048,576 bytes'],
};

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Reads a line as a Runner does (docs/reference/native-plugin-protocol.md §1, §2), and says which clause it breaks. */
export function readAnswer(line: Uint8Array, id: number): ReadAnswer {
  const broken = (clause: ClauseId, expected: string, seen = shownBytes(line)): ReadAnswer => ({
    kind: 'fault',
    fault: { clause, expected, seen },
  });
  if (BYTE_ORDER_MARK.equals(line.subarray(0, 3)))
    return broken('wire.framing.no-bom', 'a line without a byte order mark');
  const parsed = parseJson(line, frameBounds);
  if (!parsed.ok) return broken(...JSON_CLAUSES[parsed.fault]);
  const message = parsed.value;
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0')
    return broken('wire.response.envelope', 'an object whose jsonrpc is "2.0"');
  if (Object.hasOwn(message, 'method'))
    return broken('wire.request.none', 'an answer, which has no member "method"');
  if (message['id'] !== id) {
    return broken('wire.response.id', `the id ${id}`, `the id ${shownValue(message['id'])}`);
  }
  const hasResult = Object.hasOwn(message, 'result');
  if (hasResult === Object.hasOwn(message, 'error'))
    return broken('wire.response.one-of', 'exactly one of "result" and "error", null counting as one');
  if (hasResult) return { kind: 'result', result: message['result'] as Json, bytes: line.length };
  const code = errorCode(message);
  if (code === null)
    return broken(
      'wire.response.error',
      `an integer code and a message of 1 to ${linkLimits.messageMaxBytes} bytes`,
    );
  return { kind: 'error', code };
}

function errorCode({ error }: JsonObject): number | null {
  if (error === undefined || !isJsonObject(error)) return null;
  const { code, message } = error;
  if (typeof code !== 'number' || !Number.isSafeInteger(code)) return null;
  if (typeof message !== 'string' || message === '') return null;
  return Buffer.byteLength(message) <= linkLimits.messageMaxBytes ? code : null;
}

/** True where a line is meant as the answer to this request, however bad it is besides. */
export function isMeantFor(line: Uint8Array, id: number): boolean {
  const parsed = parseJson(line, frameBounds);
  return parsed.ok && isJsonObject(parsed.value) && parsed.value['id'] === id;
}

/** Which clause a line breaks that nobody asked for. `answered`: ids that have had their answer. */
export function strayFault(line: Uint8Array, answered: ReadonlySet<number>): ClauseFault {
  const seen = shownBytes(line);
  const parsed = parseJson(line, frameBounds);
  const message = parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
  if (message !== null && Object.hasOwn(message, 'method'))
    return { clause: 'wire.request.none', expected: 'no request and no notification', seen };
  const id = message?.['id'];
  if (typeof id === 'number' && answered.has(id))
    return {
      clause: 'wire.response.once',
      expected: `one answer to request ${id}`,
      seen: `another: ${seen}`,
    };
  return answered.size === 0
    ? { clause: 'wire.framing.silent-start', expected: 'nothing before the first answer', seen }
    : { clause: 'wire.framing.stdout', expected: 'nothing but answers on stdout', seen };
}
