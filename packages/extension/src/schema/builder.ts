import type { Json } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import type { JsonSchema } from './json-schema.ts';
import type { InputOf, OutputOf, Presence, Schema, Shape } from './schema.ts';

/** What every builder takes. A bare string stands for `{ description }`. */
export interface Note {
  readonly title?: string;
  readonly description?: string;
}

/** Lengths in Unicode code points, at most 65,536. */
export interface StringOptions extends Note {
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Both ends belong to the range. */
export interface NumberOptions extends Note {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Counts of items, at most 4,096. */
export interface ArrayOptions extends Note {
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Default<T> {
  readonly default: T;
}

/** Builds schemas of the dialect, typed so that arguments and settings are inferred. They are frozen. */
export interface SchemaBuilder {
  string(options: StringOptions & Default<string>): Schema<string, 'default'>;
  string(options?: string | StringOptions): Schema<string, 'required'>;
  /** Any finite number. */
  number(options: NumberOptions & Default<number>): Schema<number, 'default'>;
  number(options?: string | NumberOptions): Schema<number, 'required'>;
  /** A number without a fraction; 1.0 is one. */
  integer(options: NumberOptions & Default<number>): Schema<number, 'default'>;
  integer(options?: string | NumberOptions): Schema<number, 'required'>;
  boolean(options: Note & Default<boolean>): Schema<boolean, 'default'>;
  boolean(options?: string | Note): Schema<boolean, 'required'>;
  /** One of these strings, 1 to 128 of them. */
  enum<const V extends readonly string[]>(
    values: V,
    options: Note & Default<V[number]>,
  ): Schema<V[number], 'default'>;
  enum<const V extends readonly string[]>(values: V, options?: string | Note): Schema<V[number], 'required'>;
  array<T, I>(
    items: Schema<T, Presence, I>,
    options: ArrayOptions & Default<readonly NoInfer<I>[]>,
  ): Schema<readonly T[], 'default', readonly I[]>;
  array<T, I>(
    items: Schema<T, Presence, I>,
    options?: string | ArrayOptions,
  ): Schema<readonly T[], 'required', readonly I[]>;
  /** A closed object with a schema for each member. */
  object<S extends Shape>(shape: S, options?: string | Note): Schema<OutputOf<S>, 'required', InputOf<S>>;
  /** Marks a member of an object as one that may be absent. */
  optional<T, I>(schema: Schema<T, Presence, I>): Schema<T, 'optional', I>;
}

type Options = string | (Note & { readonly default?: Json; readonly [keyword: string]: unknown });

/** The schema builder: `s.string('City name')`, `s.integer({ default: 3, minimum: 1 })`. */
export const s: SchemaBuilder = Object.freeze({
  string: (options?: Options) => build('string', options),
  number: (options?: Options) => build('number', options),
  integer: (options?: Options) => build('integer', options),
  boolean: (options?: Options) => build('boolean', options),
  enum: (values: readonly string[], options?: Options) => build('string', options, { enum: [...values] }),
  array: (items: Schema, options?: Options) => build('array', options, { items: items.json }),
  object: (shape: Shape, options?: Options) => build('object', options, membersOf(shape)),
  optional: (schema: Schema) => Object.freeze({ json: schema.json, presence: 'optional' }),
}) as SchemaBuilder;

/** The keywords of a closed object of this shape. */
export function membersOf(
  shape: Shape,
): Pick<JsonSchema, 'properties' | 'required' | 'additionalProperties'> {
  const members = Object.entries(shape);
  return {
    properties: Object.fromEntries(members.map(([name, schema]) => [name, schema.json])),
    required: members.filter(([, schema]) => schema.presence === 'required').map(([name]) => name),
    additionalProperties: false,
  };
}

function build(type: JsonSchema['type'], options: Options | undefined, more: object = {}): Schema {
  const notes = typeof options === 'string' ? { description: options } : (options ?? {});
  const presence = 'default' in notes && notes.default !== undefined ? 'default' : 'required';
  const json = { type, ...notes, ...more };
  const copy = plainJson(json);
  // What is no JSON is kept as it is: reading the manifest names the place.
  return Object.freeze({ json: (copy.ok ? copy.value : json) as JsonSchema, presence });
}
