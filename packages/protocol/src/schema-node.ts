import type { Json } from '@fairlead/base';

/** Limits that a schema may set on one value, whatever its type. */
export type Choice = {
  /** `enum`, or undefined. Compared by JSON equality and never with `type`. */
  readonly allowed: readonly Json[] | undefined;
  /** `const` in a box, because null is a value. */
  readonly constant: { readonly value: Json } | undefined;
};

/** A count that must lie between two bounds; a missing bound is 0 or Infinity. */
export type Range = { readonly min: number; readonly max: number };

/** One node of a schema that has been found valid, ready to be turned into a check. */
export type SchemaNode = { readonly choice: Choice } & (
  | {
      readonly type: 'object';
      readonly properties: ReadonlyMap<string, SchemaNode>;
      readonly required: readonly string[];
      /** Members that `properties` does not name are allowed. */
      readonly open: boolean;
    }
  | { readonly type: 'array'; readonly items: SchemaNode | undefined; readonly length: Range }
  | { readonly type: 'string'; readonly length: Range }
  | { readonly type: 'number' | 'integer' | 'boolean' | 'null' }
);

/** The seven types of the profile. */
export type SchemaType = SchemaNode['type'];

/** Unicode code points of a text, as far as it takes to know whether they lie in a range. */
export function lengthInRange(text: string, { min, max }: Range): boolean {
  const units = text.length;
  // A code point is one or two UTF-16 units, so most texts need no counting.
  if (units < min || units > max * 2) return false;
  if (units >= min * 2 && units <= max) return true;
  const points = codePoints(text);
  return points >= min && points <= max;
}

function codePoints(text: string): number {
  let pairs = 0;
  for (let at = 0; at + 1 < text.length; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    pairs += 1;
    at += 1;
  }
  return text.length - pairs;
}
