import type { Json, JsonObject } from '@fairlead/base';

/** Arguments as they may be stored and shown: each sensitive one is `{"$masked": bytes}`, its length in UTF-8 and nothing else. */
export function maskSensitive(args: JsonObject, sensitive: readonly string[]): JsonObject {
  if (!sensitive.some((name) => Object.hasOwn(args, name))) return args;
  const entries = Object.entries(args).map(
    ([name, value]) => [name, sensitive.includes(name) ? { $masked: bytesOf(value) } : value] as const,
  );
  return Object.fromEntries(entries);
}

function bytesOf(value: Json): number {
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
}
