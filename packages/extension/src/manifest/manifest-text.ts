import type { Json } from '../json/json.ts';
import type { Manifest } from './manifest.ts';

/** A manifest as the text of `fairlead.json`: members in one order, indented, with a line end. Equal manifests have one text. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(sorted(manifest as unknown as Json), null, 2)}\n`;
}

/** Whether two manifests say the same, whatever the order of their members; of lists the order counts. */
export function sameManifest(left: Manifest, right: Manifest): boolean {
  return manifestText(left) === manifestText(right);
}

function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item));
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}
