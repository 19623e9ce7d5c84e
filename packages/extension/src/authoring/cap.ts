import type { Json } from '../json/json.ts';

/** What the methods of a cap must look like: one plain value in, a promise of one plain value out. */
type MethodsOf<T> = { readonly [K in keyof T]: (input: never) => Promise<unknown> };

/**
 * A typed service that one extension provides and others use. It crosses every border as plain data, so a method takes one
 * value and answers a promise of one.
 */
export interface Cap<T = unknown, Optional extends boolean = boolean> {
  /** `messenger`, `memory`, or two or more names joined by dots. */
  readonly kind: string;
  /** The names of its methods. Types do not exist at run time, so they are listed. */
  readonly methods: readonly string[];
  /** The extension that must provide it, where `from` named one. */
  readonly provider?: string;
  readonly isOptional: Optional;
  /** The same cap, `undefined` in a context where nobody provides it. */
  readonly optional: Cap<T, true>;
  /** The same cap from one extension alone. */
  from(extension: string): Cap<T, Optional>;
  /** For the compiler alone. */
  readonly '~methods'?: T;
}

/**
 * Declares a cap of your own. `kind` is two or more names joined by dots, such as `example.weather`; `methods` lists every
 * method of `T` (a missing one does not compile).
 */
export function defineCap<T extends MethodsOf<T>>(
  kind: `${string}.${string}`,
  methods: { readonly [K in keyof T]: true },
): Cap<T, false> {
  return makeCap<T, false>({ kind, methods: Object.keys(methods), isOptional: false });
}

interface CapParts<Optional extends boolean> {
  readonly kind: string;
  readonly methods: readonly string[];
  readonly provider?: string;
  readonly isOptional: Optional;
}

function makeCap<T, Optional extends boolean>(parts: CapParts<Optional>): Cap<T, Optional> {
  return Object.freeze({
    ...parts,
    methods: Object.freeze([...parts.methods]),
    // A getter: two caps that held each other would never be finished.
    get optional(): Cap<T, true> {
      return makeCap<T, true>({ ...parts, isOptional: true });
    },
    from: (extension: string) => makeCap<T, Optional>({ ...parts, provider: extension }),
  });
}

/** A message to people, as a messenger delivers it. */
export type MessageBody = {
  readonly text: string;
  readonly attachments?: readonly Json[];
};

/** What a provider of {@link messenger} does. The syntax of `target` is the provider's own. */
export interface Messenger {
  send(input: { readonly target: string; readonly body: MessageBody }): Promise<null>;
}

/** Sends messages to people outside Fairlead. */
export const messenger: Cap<Messenger, false> = makeCap({
  kind: 'messenger',
  methods: ['send'],
  isOptional: false,
});

/** Whose memory: the agent's own, or a bank that it was granted. */
export type MemoryScope = { readonly scope: 'agent' } | { readonly scope: 'bank'; readonly name: string };

/** One remembered value; `bank` is absent for the agent's own memory. */
export type MemoryHit = {
  readonly key: string;
  readonly value: string;
  readonly score: number;
  readonly bank?: string;
};

/** What a provider of {@link memory} does. */
export interface Memory {
  search(input: {
    readonly query: string;
    readonly scope: MemoryScope;
    readonly limit?: number;
  }): Promise<readonly MemoryHit[]>;
  remember(input: {
    readonly key: string;
    readonly value: string;
    readonly scope: MemoryScope;
  }): Promise<null>;
}

/** Remembers, and finds what was remembered. */
export const memory: Cap<Memory, false> = makeCap({
  kind: 'memory',
  methods: ['search', 'remember'],
  isOptional: false,
});

/** The caps that an extension uses, by the names that its contexts give them. */
export interface Uses {
  readonly [alias: string]: Cap;
}

/** What `ctx.caps` holds: the methods, or `undefined` where an optional cap is not provided. */
export type CapsOf<U> = {
  readonly [K in keyof U]: U[K] extends Cap<infer T, infer Optional>
    ? Optional extends true
      ? T | undefined
      : T
    : never;
};

/** What a provider writes for a cap: each method with the context of the call behind its input. */
export type Implementation<T, Context> = {
  // A function in so many words, not a conditional type: inference must see that a context comes second.
  readonly [K in keyof T]: (input: InputOf<T[K]>, ctx: Context) => OutputOf<T[K]> | Promise<OutputOf<T[K]>>;
};

type InputOf<M> = M extends (input: infer In) => unknown ? In : never;
type OutputOf<M> = M extends (input: never) => Promise<infer Out> ? Out : never;
