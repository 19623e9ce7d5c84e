import { frozenJson, type JsonObject, type JsonValue } from './json.ts';
import type {
  ArraySchema,
  BooleanSchema,
  InferSchema,
  NarrowedBy,
  NullSchema,
  NumberSchema,
  ObjectSchema,
  ObjectValue,
  OptionalProperty,
  Schema,
  SchemaProperties,
  StringSchema,
} from './schema-node.ts';

/** What every builder takes. `enum` and `const` also narrow the inferred type. */
export interface NodeOptions<Value extends JsonValue> {
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly Value[];
  readonly const?: Value;
}

/** `additionalProperties` is `false` unless it is said otherwise. */
export interface ObjectOptions extends NodeOptions<JsonObject> {
  readonly additionalProperties?: boolean;
}

/** Counts of elements. */
export interface ArrayOptions extends NodeOptions<readonly JsonValue[]> {
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Lengths in Unicode code points. */
export interface StringOptions extends NodeOptions<string> {
  readonly minLength?: number;
  readonly maxLength?: number;
}

type NoOptions = Record<never, never>;

type ObjectsOnly<Value> = Value extends object ? Value : never;

/**
 * Builds schemas of profile v1: frozen JSON that goes on the wire as it is, typed so that a tool's arguments
 * and its structured result are inferred.
 *
 * The numeric bounds of the profile are the Runner's to judge: `fairlead plugin check` shows what it admits.
 * Source: docs/reference/native-plugin-protocol.md.
 */
export const schema = Object.freeze({
  /** An object with these properties and, by default, no others. All are required but the `optional` ones. */
  object<const Properties extends SchemaProperties, const Options extends ObjectOptions = NoOptions>(
    properties: Properties,
    options?: Options,
  ): ObjectSchema<ObjectsOnly<NarrowedBy<Options, ObjectValue<Properties, Options>>>> {
    const entries = Object.entries(properties);
    return node({
      type: 'object',
      ...keywords(options),
      properties: Object.fromEntries(
        entries.map(([name, property]) => [name, isOptional(property) ? property.optional : property]),
      ),
      required: entries.filter(([, property]) => !isOptional(property)).map(([name]) => name),
      additionalProperties: options?.additionalProperties ?? false,
    });
  },

  /** An array whose elements all fit `items`. */
  array<const Items extends Schema, const Options extends ArrayOptions = NoOptions>(
    items: Items,
    options?: Options,
  ): ArraySchema<NarrowedBy<Options, InferSchema<Items>[]>> {
    return node({
      type: 'array',
      ...keywords(options),
      items,
      minItems: options?.minItems,
      maxItems: options?.maxItems,
    });
  },

  /** A string. */
  string<const Options extends StringOptions = NoOptions>(
    options?: Options,
  ): StringSchema<NarrowedBy<Options, string>> {
    return node({
      type: 'string',
      ...keywords(options),
      minLength: options?.minLength,
      maxLength: options?.maxLength,
    });
  },

  /** Any finite number. */
  number<const Options extends NodeOptions<number> = NoOptions>(
    options?: Options,
  ): NumberSchema<NarrowedBy<Options, number>> {
    return node({ type: 'number', ...keywords(options) });
  },

  /** A number without a fraction. */
  integer<const Options extends NodeOptions<number> = NoOptions>(
    options?: Options,
  ): NumberSchema<NarrowedBy<Options, number>> {
    return node({ type: 'integer', ...keywords(options) });
  },

  /** `true` or `false`. */
  boolean<const Options extends NodeOptions<boolean> = NoOptions>(
    options?: Options,
  ): BooleanSchema<NarrowedBy<Options, boolean>> {
    return node({ type: 'boolean', ...keywords(options) });
  },

  /** `null` and nothing else. */
  null<const Options extends NodeOptions<null> = NoOptions>(
    options?: Options,
  ): NullSchema<NarrowedBy<Options, null>> {
    return node({ type: 'null', ...keywords(options) });
  },

  /** Marks a property of `schema.object` as one that may be absent. */
  optional<const Node extends Schema>(property: Node): OptionalProperty<Node> {
    return Object.freeze({ optional: property });
  },
});

function keywords(options: NodeOptions<JsonValue> | undefined): object {
  return {
    title: options?.title,
    description: options?.description,
    enum: options?.enum,
    const: options?.const,
  };
}

// The one place where a built node takes the type that its builder promises.
function node<Node extends Schema>(keywordsOfNode: object): Node {
  return frozenJson(keywordsOfNode) as JsonValue as unknown as Node;
}

function isOptional(property: Schema | OptionalProperty): property is OptionalProperty {
  return !('type' in property);
}
