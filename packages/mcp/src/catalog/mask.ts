import { isJsonObject, type Json } from '@fairlead/base';
import { seenText } from '../schema/seen-text.ts';

/** Takes out of a server's text what nobody may read. */
export type Mask = (text: string) => string;

export const unmasked: Mask = (text) => text;

/** Every text of a value without it, names of members too. */
export function maskedJson(value: Json, mask: Mask): Json {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => maskedJson(item, mask));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), maskedJson(item, mask)]));
}

/** Of a text that a model is shown without its hidden characters: what they stand in the middle of is found too. */
export function maskedText(text: string, mask: Mask): string {
  const masked = mask(text);
  const seen = seenText(masked);
  const again = mask(seen);
  return again === seen ? masked : again;
}

/** Whether a value holds anywhere what nobody may read. */
export function holdsMasked(value: Json, mask: Mask): boolean {
  if (mask === unmasked) return false;
  if (typeof value === 'string') return maskedText(value, mask) !== value;
  if (Array.isArray(value)) return (value as readonly Json[]).some((item) => holdsMasked(item, mask));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, member]) => maskedText(key, mask) !== key || holdsMasked(member, mask),
  );
}
