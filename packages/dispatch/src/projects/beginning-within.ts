import type { JsonObject } from '@fairlead/base';

/** The first items that have room together: `maxBytes` is what their JSON may add to that of an empty list. */
export function beginningWithin<Item extends JsonObject>(items: readonly Item[], maxBytes: number): Item[] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + (index === 0 ? 0 : 1);
    return bytes > maxBytes;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}
