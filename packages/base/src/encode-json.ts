import type { Json } from './json.ts';

/** Any integer above 2^53 − 1 has sixteen digits; so may a text, which only costs a second look. */
const SIXTEEN_DIGITS = /\d{16}/;

/** A number as it is to stand in the text; TypeScript does not know the function yet. */
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/**
 * Writes JSON that `parseJson` takes back as the same value. `JSON.stringify` alone does not: it writes 1e18 as
 * `1000000000000000000`, an integer token that the scanner refuses, because most such tokens have lost digits. Here the
 * number keeps an exponent. Throws on what is not JSON.
 */
export function encodeJson(value: Json | object): string {
  const text = JSON.stringify(value);
  return SIXTEEN_DIGITS.test(text) ? JSON.stringify(value, withExponent) : text;
}

function withExponent(_key: string, value: unknown): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  return rawJson(value.toExponential());
}
