import { encodeJson, type Json, jsonEqual } from '@fairlead/base';
import type { Message } from './model.ts';

/** A result of a tool. */
export type ToolMessage = Extract<Message, { readonly role: 'tool' }>;

/**
 * The text that a model reads of a tool's result: the host's note, then, marked as the tool's, its text and below it what was structured,
 * unless the text says that already.
 */
export function toolText(message: ToolMessage): string {
  const { tool, note } = message;
  const words = toolWords(message);
  const shown = tool === undefined ? words : wrapToolText(tool, words);
  return note === undefined ? shown : `${note}\n${shown}`;
}

/** What the tool itself said. */
export function toolWords({ text, structured }: ToolMessage): string {
  if (structured === undefined || says(text, structured)) return text;
  const written = encodeJson(structured);
  return text === '' ? written : `${text}\n${written}`;
}

/** A tool's words within its mark. No word of it can end the mark. */
function wrapToolText(tool: string, text: string): string {
  return `<tool_output tool="${escapeMarks(tool).replaceAll('"', '&quot;')}">\n${escapeMarks(text)}\n</tool_output>`;
}

/** A text that opens and closes no mark. */
export function escapeMarks(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
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
