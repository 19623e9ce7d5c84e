import { isJsonObject, type Json } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';

/** A tool's answer in its one form. */
export interface NormalOutput {
  readonly text: string;
  readonly data?: Json;
  readonly isError: boolean;
}

/** A normalised output, or where and why there is none. */
export type OutputReading =
  | { readonly ok: true; readonly output: NormalOutput }
  | { readonly ok: false; readonly message: string };

const LONG_FORM: ReadonlySet<string> = new Set(['text', 'data', 'isError']);

/**
 * Text stays text; an object with a string `text` and nothing but `data` and `isError` beside it is the long form; other JSON is
 * its own data and, as JSON, its text; nothing is an empty text. What JSON cannot hold, or 1 MiB and more, is no output.
 */
export function readToolOutput(value: unknown): OutputReading {
  if (value === undefined) return { ok: true, output: { text: '', isError: false } };
  const plain = plainJson(value);
  if (!plain.ok) return { ok: false, message: `${plain.path === '' ? 'it' : plain.path} ${plain.message}` };
  const { value: json } = plain;
  if (typeof json === 'string') return { ok: true, output: { text: json, isError: false } };
  if (isLongForm(json)) {
    const { text, data, isError = false } = json;
    return { ok: true, output: data === undefined ? { text, isError } : { text, data, isError } };
  }
  return { ok: true, output: { text: JSON.stringify(json), data: json, isError: false } };
}

/** The one form as it arrives from elsewhere: text, whether it is an error, perhaps data, and nothing beside them. */
export function readCarriedOutput(value: Json): OutputReading {
  const plain = plainJson(value);
  if (!plain.ok) return { ok: false, message: `${plain.path === '' ? 'it' : plain.path} ${plain.message}` };
  const { value: json } = plain;
  if (!isLongForm(json) || json.isError === undefined)
    return { ok: false, message: 'it is not { text, data, isError }' };
  const { text, data, isError } = json;
  return { ok: true, output: data === undefined ? { text, isError } : { text, data, isError } };
}

function isLongForm(
  json: Json,
): json is { readonly text: string; readonly data?: Json; readonly isError?: boolean } {
  return (
    isJsonObject(json) &&
    typeof json['text'] === 'string' &&
    (json['isError'] === undefined || typeof json['isError'] === 'boolean') &&
    Object.keys(json).every((key) => LONG_FORM.has(key))
  );
}
