import { hash } from 'node:crypto';
import type { Json } from './json.ts';

/**
 * The canonical text of a JSON value: keys in UTF-16 code unit order, no space, numbers and strings as `JSON.stringify`
 * writes them (RFC 8785). Two values that are equal as JSON have one canonical text. Recursive: bound the depth first.
 */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // Plain concatenation: most of what admitting a catalog costs is spent here, and lists of parts doubled it.
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) text += (text === '' ? '' : ',') + canonicalJson(item);
    return `[${text}]`;
  }
  const object = value as { readonly [key: string]: Json };
  for (const key of Object.keys(object).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(object[key] as Json)}`;
  }
  return `{${text}}`;
}

/** SHA-256 of a text in UTF-8, as 43 base64url characters. */
export function sha256Base64url(text: string): string {
  return hash('sha256', text, 'base64url');
}
