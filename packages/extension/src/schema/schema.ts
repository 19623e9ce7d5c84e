import type { JsonSchema } from './json-schema.ts';
import type { StandardSchema } from './standard-schema.ts';

/** Whether a member of an object must be there, is filled in, or may be absent. */
export type Presence = 'required' | 'default' | 'optional';

/** A schema that `s` made: its JSON, and the TypeScript types of what a handler receives and of what a caller may send. */
export interface Schema<Out = unknown, P extends Presence = Presence, In = Out> {
  readonly json: JsonSchema;
  readonly presence: P;
  /** For the compiler alone. */
  readonly '~types'?: { readonly input: In; readonly output: Out };
}

/** The short form of a closed object: a schema for each member. */
export interface Shape {
  readonly [name: string]: Schema;
}

/** Everything that may stand as the schema of arguments. */
export type AnySchema = Shape | Schema | StandardSchema;

/** The arguments of what takes none: an object without members. */
type NoArgs = Readonly<Record<never, never>>;

/** What a handler receives: defaults are applied. Where there is no schema, nothing. */
export type Infer<T> = unknown extends T ? NoArgs : InferOf<T>;

type InferOf<T> =
  T extends Schema<infer Out, Presence, infer _In>
    ? Out
    : T extends StandardSchema<infer _In, infer Out>
      ? Out
      : T extends Shape
        ? OutputOf<T>
        : never;

/** What a caller may send: a member with a default may be left out. */
export type Input<T> = unknown extends T ? NoArgs : InputOfSchema<T>;

type InputOfSchema<T> =
  T extends Schema<infer _Out, Presence, infer In>
    ? In
    : T extends StandardSchema<infer In, infer _Out>
      ? In
      : T extends Shape
        ? InputOf<T>
        : never;

/** The object that a shape gives to a handler. */
export type OutputOf<S extends Shape> = Flat<
  { readonly [K in keyof S as PresenceOf<S[K]> extends 'optional' ? never : K]: Infer<S[K]> } & {
    readonly [K in keyof S as PresenceOf<S[K]> extends 'optional' ? K : never]?: Infer<S[K]>;
  }
>;

/** The object that a shape takes from a caller. */
export type InputOf<S extends Shape> = Flat<
  { readonly [K in keyof S as PresenceOf<S[K]> extends 'required' ? K : never]: Input<S[K]> } & {
    readonly [K in keyof S as PresenceOf<S[K]> extends 'required' ? never : K]?: Input<S[K]>;
  }
>;

type PresenceOf<T> = T extends { readonly presence: infer P } ? P : never;

// One object in place of an intersection: readable in messages, and printable in an author's declaration files.
type Flat<T> = { [K in keyof T]: T[K] } & {};

/** Tells a schema of `s` from a shape, whose members are schemas and never words. */
export function isSchema(value: Schema | Shape): value is Schema {
  return typeof value['presence'] === 'string';
}
