import { hash } from 'node:crypto';
import type { Json } from './json.ts';

/**
 * The canonical text of a JSON value: keys in UTF-16 code unit order, no space, numbers and strings as `JSON.stringify`
 * writes them (RFC 8785). Two values that are equal as JSON have one canonical text. Recursive: bound the depth first.
 */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`;
  const object = value as { readonly [key: string]: Json };
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] as Json)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of a text in UTF-8, as 43 base64url characters. */
export function sha256Base64url(text: string): string {
  return hash('sha256', text, 'base64url');
}
