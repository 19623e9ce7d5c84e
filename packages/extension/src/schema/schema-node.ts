import type { Json } from '../json/json.ts';

/** Lengths, counts or values: both ends belong to it. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

interface Choice {
  readonly allowed: readonly Json[] | undefined;
  /** Boxed, because `null` is a value. */
  readonly constant: { readonly value: Json } | undefined;
  /** What stands in for an absent member. Boxed alike, frozen, and checked against its own node. */
  readonly fallback: { readonly value: Json } | undefined;
}

/** One node of a schema that was read: what the parser walks. */
export type SchemaNode =
  | (Choice & {
      readonly type: 'object';
      readonly properties: ReadonlyMap<string, SchemaNode>;
      readonly required: ReadonlySet<string>;
      readonly open: boolean;
    })
  | (Choice & { readonly type: 'array'; readonly items: SchemaNode | undefined; readonly count: Range })
  | (Choice & { readonly type: 'string'; readonly length: Range })
  | (Choice & { readonly type: 'number' | 'integer'; readonly range: Range })
  | (Choice & { readonly type: 'boolean' | 'null' });

export type SchemaType = SchemaNode['type'];
