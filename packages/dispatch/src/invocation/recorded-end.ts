import { encodeJson, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { Invocation } from '../invocation.ts';
import type { RecordedEnd } from '../sessions/session-recorder.ts';

/** How an invocation ended, as its session has it: in the words that its caller was given. */
export function recordedEnd(invocation: Invocation, code: string | null): RecordedEnd {
  const { certainty, output, error, isProviderResult, summary = '' } = invocation;
  if (output === undefined) {
    const { code: own = 'dispatch_failed', message = '' } = error ?? {};
    return { certainty, code: code ?? own, text: `${own}: ${message}`, isError: true };
  }
  if (isProviderResult === true)
    return { certainty, code, ...resultText(output), isError: output['isError'] === true };
  const shown = withoutHandle(output);
  const text = summary === '' ? encodeJson(shown) : `${summary}\n${encodeJson(shown)}`;
  return { certainty, code, text, structured: shown, isError: false };
}

/** A binding is its caller's: nobody who reads the session is to call with it. */
function withoutHandle(output: JsonObject): JsonObject {
  return output['binding'] === undefined ? output : { ...output, binding: '[left out]' };
}

/** The text of a provider's result; of what is no text, what it is and how large. */
export function resultText(result: JsonObject): { readonly text: string; readonly structured?: Json } {
  const { content, structuredContent } = result;
  const parts = Array.isArray(content) ? content.map(partText) : [];
  const text = parts.join('\n');
  if (structuredContent === undefined) return { text };
  return { text: text === '' ? encodeJson(structuredContent) : text, structured: structuredContent };
}

function partText(part: Json): string {
  if (!isJsonObject(part)) return '';
  const { type, text, data, mimeType, resource, uri } = part;
  if (typeof text === 'string') return text;
  if (isJsonObject(resource ?? null)) return partText(resource as JsonObject);
  const kind = typeof mimeType === 'string' ? mimeType : typeof type === 'string' ? type : 'part';
  if (typeof data === 'string') return `[${kind}, ${Math.floor((data.length * 3) / 4)} bytes]`;
  return typeof uri === 'string' ? `[${kind} ${uri}]` : `[${kind}]`;
}
