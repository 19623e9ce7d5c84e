import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';

/** `{"$from": from, "pointer": pointer}` in the arguments of a call: a value of an earlier result. */
export interface Reference {
  readonly from: string;
  /** JSON pointer (RFC 6901) into `{text, structured, error}`; empty: all of it. */
  readonly pointer: string;
}

/** Every object with a `$from` below a value, with its own JSON pointer. */
export function referencesIn(
  value: Json,
  pointer = '',
): readonly { readonly pointer: string; readonly value: JsonObject }[] {
  if (typeof value !== 'object' || value === null) return [];
  if (isJsonObject(value) && Object.hasOwn(value, '$from')) return [{ pointer, value }];
  return Object.entries(value).flatMap(([key, member]) =>
    referencesIn(member as Json, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

/** Reads one, or null where it is none. */
export function readReference(value: JsonObject): Reference | null {
  const { $from: from, pointer, ...others } = value;
  if (typeof from !== 'string' || typeof pointer !== 'string' || Object.keys(others).length > 0) return null;
  return pointer === '' || pointer.startsWith('/') ? { from, pointer } : null;
}

/** The arguments with each reference replaced by what `find` gives; undefined from it ends the walk, and is the answer. */
export function resolveReferences(
  value: Json,
  find: (reference: Reference) => Json | undefined,
): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => resolveReferences(item, find));
    return items.includes(undefined) ? undefined : (items as Json[]);
  }
  const object = value as JsonObject;
  if (Object.hasOwn(object, '$from')) {
    const reference = readReference(object);
    return reference === null ? undefined : find(reference);
  }
  const members = Object.entries(object).map(
    ([key, member]) => [key, resolveReferences(member, find)] as const,
  );
  return members.some(([, member]) => member === undefined)
    ? undefined
    : (Object.fromEntries(members) as JsonObject);
}

/** What a JSON pointer leads to, or undefined. */
export function valueAt(document: Json, pointer: string): Json | undefined {
  if (pointer === '') return document;
  let value: Json | undefined = document;
  for (const token of pointer.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(key) ? (value[Number(key)] as Json) : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}
