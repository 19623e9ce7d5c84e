import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { type ExtensionRef, isExtensionName, readRef } from '@fairlead/extension/runtime';

/** The table that holds the switches of a session or an agent, each put under the extension's name. */
export const EXTENSIONS_TABLE = 'extensions';

/** One switch. `atMs` is for people; the order is the record's. */
export type ActivationEvent =
  | { readonly kind: 'activated'; readonly name: string; readonly ref: ExtensionRef; readonly atMs: number }
  | { readonly kind: 'deactivated'; readonly name: string; readonly atMs: number };

/** A switch as it is stored. */
export function rowOfEvent(event: ActivationEvent): JsonObject {
  const { kind, name, atMs } = event;
  return kind === 'activated'
    ? { kind, name, extension_ref: event.ref as unknown as JsonObject, timestamp_ms: atMs }
    : { kind, name, timestamp_ms: atMs };
}

/**
 * A switch as any peer may have written it, or undefined for what is none: another kind, another name than the key it stands
 * under, no ref, no time. A ref of a kind that this version does not know is kept whole.
 */
export function readEvent(name: string, value: Json): ActivationEvent | undefined {
  if (!isExtensionName(name) || !isJsonObject(value) || value['name'] !== name) return undefined;
  const atMs = value['timestamp_ms'];
  if (typeof atMs !== 'number' || !Number.isSafeInteger(atMs) || atMs < 0) return undefined;
  if (value['kind'] === 'deactivated') return { kind: 'deactivated', name, atMs };
  if (value['kind'] !== 'activated') return undefined;
  const ref = readRef(value['extension_ref']);
  return ref === undefined || ref.name !== name ? undefined : { kind: 'activated', name, ref, atMs };
}
