import type { AddedMessage } from '../authoring/part.ts';
import { isJsonObject } from '../json/json.ts';
import { outputLimits } from '../limits.ts';
import { cutLine, exceedsBytes } from './text.ts';

/** What was read, or why it is left out. */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

/** Text that a prompt, a tail or `toolResult` gives; `undefined` where it gives none. Blank text is none. */
export function readText(value: unknown): Reading<string | undefined> {
  if (value === undefined || value === null) return { ok: true, value: undefined };
  if (typeof value !== 'string') return { ok: false, message: 'returned something that is not text' };
  if (exceedsBytes(value, outputLimits.maxText))
    return { ok: false, message: `returned text of more than ${outputLimits.maxText} bytes` };
  return { ok: true, value: value.toWellFormed() };
}

/** The messages that `beforeAgentStart` adds: none, one text (a system message), or a list of `{ role, text }`. */
export function readMessages(value: unknown): Reading<readonly AddedMessage[]> {
  if (value === undefined || value === null) return { ok: true, value: [] };
  const list: unknown = typeof value === 'string' ? [{ role: 'system', text: value }] : value;
  if (!Array.isArray(list)) return { ok: false, message: 'returned neither text nor a list of messages' };
  if (list.length > outputLimits.maxMessages)
    return { ok: false, message: `returned more than ${outputLimits.maxMessages} messages` };
  const messages: AddedMessage[] = [];
  for (const item of list as readonly unknown[]) {
    const read = readMessage(item);
    if (!read.ok) return read;
    if (read.value.text.trim() !== '') messages.push(read.value);
  }
  return { ok: true, value: messages };
}

function readMessage(item: unknown): Reading<AddedMessage> {
  if (!isJsonObject(item)) return { ok: false, message: 'returned a message that is no object' };
  const { role, text, ...more } = item;
  if ((role !== 'system' && role !== 'user') || typeof text !== 'string' || Object.keys(more).length > 0)
    return { ok: false, message: 'returned a message that is not { role: "system" or "user", text }' };
  const read = readText(text);
  if (!read.ok) return read;
  return { ok: true, value: Object.freeze({ role, text: read.value ?? '' }) };
}

/** The segments of a status, cut to one line each; at most 8. */
export function readSegments(value: unknown): Reading<Readonly<Record<string, string>>> {
  if (value === undefined || value === null) return { ok: true, value: Object.freeze({}) };
  if (!isJsonObject(value)) return { ok: false, message: 'returned a status that is no object' };
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  if (entries.length > outputLimits.maxSegments)
    return { ok: false, message: `returned more than ${outputLimits.maxSegments} segments` };
  const segments: [string, string][] = [];
  for (const [key, text] of entries) {
    if (typeof text !== 'string' || key === '' || key.length > outputLimits.maxSegmentKey)
      return { ok: false, message: 'returned a segment that is not a short key with a text' };
    const line = cutLine(text, outputLimits.maxSegmentText);
    if (line !== '') segments.push([key, line]);
  }
  return { ok: true, value: Object.freeze(Object.fromEntries(segments)) };
}
