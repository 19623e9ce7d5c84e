import { checkJsonBounds, encodeJson, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { type Mask, maskedJson, unmasked } from '../catalog/mask.ts';
import { structuredBounds } from '../limits.ts';

/** What a call gives back: what a model reads, and what a program does. */
export interface CallResult {
  readonly text: string;
  readonly data?: Json;
  readonly isError: boolean;
}

/** A result of `tools/call` in words: text as it is, everything else named with its type and size. At most `maxBytes` of text. */
export function toolResult(result: JsonObject, maxBytes: number, mask: Mask = unmasked): CallResult {
  const content = Array.isArray(result['content']) ? (result['content'] as readonly Json[]) : [];
  const structured = withinBounds(result['structuredContent'], mask);
  const parts = content.map(partText).filter((part) => part !== '');
  const whole = parts.length === 0 && structured !== undefined ? encodeJson(structured) : parts.join('\n');
  const said = { text: boundedText(mask(whole), maxBytes), isError: result['isError'] === true };
  return structured === undefined ? said : { ...said, data: structured };
}

/** A result of any other method: its JSON, as text and as data. */
export function jsonResult(result: JsonObject, maxBytes: number, mask: Mask): CallResult {
  const { _meta: _, ...rest } = result;
  const data = withinBounds(rest, mask);
  if (data === undefined) return { text: '[the answer is larger than can be shown]', isError: true };
  const text = encodeJson(data);
  const said = { text: boundedText(text, maxBytes), isError: false };
  return Buffer.byteLength(text) > maxBytes ? said : { ...said, data };
}

function withinBounds(value: Json | undefined, mask: Mask): Json | undefined {
  if (value === undefined || checkJsonBounds(value, structuredBounds) !== null) return undefined;
  return mask === unmasked ? value : maskedJson(value, mask);
}

/** What was read of a resource, or said by a prompt: its texts. */
export function contentsResult(result: JsonObject, maxBytes: number, mask: Mask): CallResult {
  const list = Array.isArray(result['contents'])
    ? (result['contents'] as readonly Json[]).map(resourceText)
    : Array.isArray(result['messages'])
      ? (result['messages'] as readonly Json[]).map(messageText)
      : [];
  const head = typeof result['description'] === 'string' ? [result['description']] : [];
  return { text: boundedText(mask([...head, ...list].join('\n\n')), maxBytes), isError: false };
}

function messageText(message: Json): string {
  if (!isJsonObject(message)) return '';
  return `${word(message['role'], 'user')}: ${partText(message['content'] ?? null)}`;
}

function partText(part: Json): string {
  if (!isJsonObject(part)) return '';
  const { type, text, mimeType, data, resource, uri, name } = part;
  switch (type) {
    case 'text':
      return typeof text === 'string' ? text : '';
    case 'image':
    case 'audio':
      return `[${type} ${word(mimeType, 'of an unknown type')}, ${base64Bytes(data)} bytes, left out]`;
    case 'resource':
      return resourceText(resource ?? null);
    case 'resource_link':
      return `[resource ${word(uri, '')}${typeof name === 'string' ? ` ${name}` : ''}]`;
    default:
      return `[content of type ${word(type, 'none').slice(0, 64)}, left out]`;
  }
}

function resourceText(resource: Json): string {
  if (!isJsonObject(resource)) return '';
  const { text, uri, blob, mimeType } = resource;
  if (typeof text === 'string') return text;
  return `[resource ${word(uri, '')} ${word(mimeType, '')}, ${base64Bytes(blob)} bytes, left out]`;
}

/** Anything but a text is none: one that is deep cannot even be written out. */
function word(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function base64Bytes(data: Json | undefined): number {
  return typeof data === 'string' ? Math.floor((data.length * 3) / 4) : 0;
}

/** Its beginning and its end, whole characters, with a word on what stood between. */
function boundedText(text: string, maxBytes: number): string {
  const sound = text.toWellFormed();
  if (sound.length * 3 <= maxBytes) return sound;
  const bytes = Buffer.from(sound);
  if (bytes.length <= maxBytes) return sound;
  const head = Math.floor((maxBytes * 3) / 4);
  const tail = maxBytes - head;
  const left = bytes.length - head - tail;
  return `${wholeHead(bytes.subarray(0, head))}\n[${left} bytes left out]\n${wholeTail(bytes.subarray(-tail))}`;
}

function wholeHead(bytes: Buffer): string {
  let end = bytes.length;
  // Back to before a character that is cut: its first byte, then at most three that follow it.
  for (let back = 1; back <= 4 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (needs > back) end = bytes.length - back;
    break;
  }
  return bytes.toString('utf8', 0, end);
}

function wholeTail(bytes: Buffer): string {
  let start = 0;
  while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start += 1;
  return bytes.toString('utf8', start);
}
