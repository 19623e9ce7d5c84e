import { FairleadError, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { gatewayErrors } from '../errors.ts';

/** Why a body is refused: the member, which is one of ours or `body`, and what it must be. */
export function wrongMember(member: string, problem: string): FairleadError {
  return new FairleadError('invalid_body', gatewayErrors.invalid_body.message, {
    detail: { member, problem },
  });
}

/** The body as an object that has no members but these. Absent is an empty one. Throws `invalid_body`. */
export function membersOf(body: Json, known: readonly string[]): JsonObject {
  if (body === null) return {};
  if (!isJsonObject(body)) throw wrongMember('body', 'must be a JSON object');
  if (Object.keys(body).some((member) => !known.includes(member)))
    throw wrongMember('body', `has members other than ${known.join(', ')}`);
  return body;
}

/** A text of 1 to `maxBytes` UTF-8 bytes; undefined where the member is absent or null. Throws `invalid_body`. */
export function textIn(body: JsonObject, member: string, maxBytes: number): string | undefined {
  const value = body[member] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '' || Buffer.byteLength(value) > maxBytes)
    throw wrongMember(member, `must be a text of 1 to ${maxBytes} bytes`);
  return value;
}

/** The same, which must be there. */
export function requiredText(body: JsonObject, member: string, maxBytes: number): string {
  const value = textIn(body, member, maxBytes);
  if (value === undefined) throw wrongMember(member, `must be a text of 1 to ${maxBytes} bytes`);
  return value;
}

/** A list of such texts, at most `most`; undefined where it is absent or null. */
export function textsIn(
  body: JsonObject,
  member: string,
  { most, maxBytes }: { readonly most: number; readonly maxBytes: number },
): readonly string[] | undefined {
  const value = body[member] ?? undefined;
  if (value === undefined) return undefined;
  const isText = (item: Json) =>
    typeof item === 'string' && item !== '' && Buffer.byteLength(item) <= maxBytes;
  if (!Array.isArray(value) || value.length > most || !value.every(isText))
    throw wrongMember(member, `must be a list of at most ${most} texts of 1 to ${maxBytes} bytes`);
  return value as readonly string[];
}

/** One of some words; undefined where it is absent or null. */
export function wordIn<Word extends string>(
  body: JsonObject,
  member: string,
  words: readonly Word[],
): Word | undefined {
  const value = body[member] ?? undefined;
  if (value === undefined) return undefined;
  const word = words.find((known) => known === value);
  if (word === undefined) throw wrongMember(member, `must be ${words.join(', ')}`);
  return word;
}
