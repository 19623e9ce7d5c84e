import type { JsonValue } from './json.ts';

declare const typedAs: unique symbol;

/** Carries the TypeScript type of the values that a schema accepts. It exists for the compiler alone. */
interface TypedAs<Value> {
  readonly [typedAs]?: Value;
}

/** The keywords that every node may carry. */
interface NodeKeywords {
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
}

/** A schema of objects; the only kind that may stand at the root of a tool's input or output. */
export interface ObjectSchema<Value extends object = Record<string, unknown>>
  extends NodeKeywords,
    TypedAs<Value> {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  readonly additionalProperties: boolean;
}

/** A schema of arrays whose elements all fit `items`. */
export interface ArraySchema<Value = unknown> extends NodeKeywords, TypedAs<Value> {
  readonly type: 'array';
  readonly items: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A schema of strings. Lengths count Unicode code points. */
export interface StringSchema<Value = string> extends NodeKeywords, TypedAs<Value> {
  readonly type: 'string';
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** A schema of numbers, or of whole numbers. */
export interface NumberSchema<Value = number> extends NodeKeywords, TypedAs<Value> {
  readonly type: 'number' | 'integer';
}

/** A schema of `true` and `false`. */
export interface BooleanSchema<Value = boolean> extends NodeKeywords, TypedAs<Value> {
  readonly type: 'boolean';
}

/** The schema of `null`. */
export interface NullSchema<Value = null> extends NodeKeywords, TypedAs<Value> {
  readonly type: 'null';
}

/** Any node of schema profile v1; see docs/reference/native-plugin-protocol.md. */
export type Schema =
  | ObjectSchema<object>
  | ArraySchema
  | StringSchema<unknown>
  | NumberSchema<unknown>
  | BooleanSchema<unknown>
  | NullSchema<unknown>;

/** A property that may be absent, as `schema.optional` makes it. Never a schema by itself. */
export interface OptionalProperty<Node extends Schema = Schema> {
  readonly optional: Node;
}

/** What `schema.object` takes: a schema per property, wrapped in `schema.optional` where it may be absent. */
export type SchemaProperties = Readonly<Record<string, Schema | OptionalProperty>>;

/** The TypeScript type of the values that a schema accepts. */
export type InferSchema<Node> = Node extends TypedAs<infer Value> ? Value : never;

/** The value type of one node: its `const`, else the members of its `enum`, else `Otherwise`. */
export type NarrowedBy<Options, Otherwise> = Options extends { readonly const: infer Only }
  ? Only
  : Options extends { readonly enum: readonly (infer Member)[] }
    ? Member
    : Otherwise;

/** The object type that `properties` describe, open where `additionalProperties` is `true`. */
export type ObjectValue<Properties, Options> = Flat<
  {
    -readonly [Name in keyof Properties as Properties[Name] extends OptionalProperty
      ? never
      : Name]: InferSchema<Properties[Name]>;
  } & {
    -readonly [Name in keyof Properties as Properties[Name] extends OptionalProperty
      ? Name
      : never]?: Properties[Name] extends OptionalProperty<infer Node> ? InferSchema<Node> : never;
  } & (Options extends { readonly additionalProperties: true } ? Record<string, unknown> : unknown)
>;

// One object in place of an intersection: readable in messages, and printable in an author's declaration files.
type Flat<Value> = { [Name in keyof Value]: Value[Name] };
