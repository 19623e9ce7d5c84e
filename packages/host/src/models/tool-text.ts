import { encodeJson, type Json, jsonEqual } from '@fairlead/base';
import type { Message } from './model.ts';

/** The text that a model reads of a tool's result: its text, and below it what was structured, unless the text says that already. */
export function toolText(message: Extract<Message, { readonly role: 'tool' }>): string {
  const { text, structured } = message;
  if (structured === undefined || says(text, structured)) return text;
  const written = encodeJson(structured);
  return text === '' ? written : `${text}\n${written}`;
}

function says(text: string, structured: Json): boolean {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return false;
  try {
    return jsonEqual(JSON.parse(text) as Json, structured);
  } catch {
    return false;
  }
}
