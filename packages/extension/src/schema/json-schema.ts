import type { Json } from '../json/json.ts';

/**
 * One node of the schema dialect: schema profile v1 (docs/reference/native-plugin-protocol.md §7) plus `default`, `minimum`
 * and `maximum`. An object is closed unless `additionalProperties` is true; lengths count code points.
 */
export interface JsonSchema {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array';
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly default?: Json;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
}
