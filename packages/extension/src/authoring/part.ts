import type { Json, JsonObject } from '../json/json.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { AnySchema, Infer } from '../schema/schema.ts';
import type { Cap, Implementation } from './cap.ts';
import type { Call, InSession, Turn } from './context.ts';
import type { Scope } from './scope.ts';

/** A value, or a promise of one. */
type Maybe<T> = T | Promise<T>;

/** What a tool may answer: text, JSON, or both with a word on whether it failed. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may simply not return.
export type ToolOutput = void | string | Json | ToolResult;

/** The long form of a tool's answer. `data` is what a program reads. */
export interface ToolResult {
  readonly text: string;
  readonly data?: Json;
  /** It failed, and this text says how: the outcome is known. */
  readonly isError?: boolean;
}

/** Asks nothing of a schema and of no schema at all, and a schema of anything else: so that a wrong one is named where it stands. */
type SchemaOrError<A> = unknown extends A ? unknown : A extends AnySchema ? unknown : AnySchema;

/** One function that a model may call. */
export interface Tool<A, Context> {
  /** What it is for, for a model: 1 to 1,024 characters. */
  readonly about: string;
  readonly args?: A & SchemaOrError<A>;
  /** What an operator's policy starts from. Default `low`. */
  readonly risk?: 'low' | 'medium' | 'high';
  /** When a person is asked first. Default `never`. */
  readonly approval?: 'never' | 'unless_auto_approved' | 'always';
  /** Default 60,000; 1,000 to 3,600,000. */
  readonly timeoutMs?: number;
  /** Calls per minute; absent is no limit. */
  readonly perMinute?: number;
  /** Arguments that are shown and stored masked. */
  readonly sensitive?: readonly (keyof Infer<A> & string)[];
  /** What it touches: `read` nothing, `records` only Fairlead's own databases, `write` (the default) anything else. */
  readonly effect?: 'read' | 'records' | 'write';
  run(args: Infer<A>, ctx: Context): Maybe<ToolOutput>;
}

/** One slash command that a person may type. The order of `args` is the order of its words. */
export interface Command<A, Context> {
  readonly about: string;
  readonly args?: A & SchemaOrError<A>;
  run(args: Infer<A>, ctx: Context): Maybe<CommandOutput>;
}

/** What a command answers. `data` is what `--json` prints. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may simply not return.
export type CommandOutput = void | string | { readonly text: string; readonly data?: Json };

/** A tool call as hooks see it. `args` are parsed and frozen. */
export interface ToolCall {
  readonly tool: string;
  /** The extension that the tool belongs to. */
  readonly owner: string;
  readonly args: JsonObject;
}

/** How a tool call ended, as hooks see it. */
export interface ToolEnd extends ToolCall {
  readonly text: string;
  readonly isError: boolean;
}

/** What a gate answers: nothing lets the call go on, `block` refuses it, `args` replaces its arguments. */
export type Verdict =
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may simply not return.
  void | undefined | { readonly block: string } | { readonly args: JsonObject };

/** A message that `beforeAgentStart` adds. */
export interface AddedMessage {
  readonly role: 'user' | 'system';
  readonly text: string;
}

/** How a turn ended. */
export interface AgentEnd {
  readonly status: 'completed' | 'failed' | 'cancelled';
}

/** An event that says nothing but that it happens. */
export type Occasion = Readonly<Record<never, never>>;

/** The hooks, each with a contract of its own: docs/reference/extension-api.md has the table. */
export interface Hooks<InTurn, InSession> {
  /** Adds messages before the first model call of a turn; a bare text is one system message. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may simply not return.
  beforeAgentStart?(event: Occasion, ctx: InTurn): Maybe<void | string | readonly AddedMessage[]>;
  /** The gate before each call: it may rewrite or block. When it throws or is late, the call is blocked. */
  toolCall?(call: ToolCall, ctx: InTurn): Maybe<Verdict>;
  /** After each call, the failed ones too: it may rewrite the text. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may simply not return.
  toolResult?(end: ToolEnd, ctx: InTurn): Maybe<void | string>;
  agentEnd?(event: AgentEnd, ctx: InTurn): Maybe<void>;
  sessionStart?(event: Occasion, ctx: InSession): Maybe<void>;
  sessionShutdown?(event: Occasion, ctx: InSession): Maybe<void>;
}

/** Schemas of arguments, by the name of the tool or command; `unknown` for one that takes none. */
export interface ArgsByName {
  readonly [name: string]: unknown;
}

/** Methods of caps, by the name that stands in `provides`. */
export interface MethodsByName {
  readonly [name: string]: object;
}

/** A tool that is known only at run time. Its schema is JSON, so its arguments are plain data. */
export interface RuntimeTool<Context> {
  readonly name: string;
  readonly about: string;
  readonly args: JsonSchema;
  readonly risk?: 'low' | 'medium' | 'high';
  readonly approval?: 'never' | 'unless_auto_approved' | 'always';
  readonly timeoutMs?: number;
  readonly perMinute?: number;
  readonly sensitive?: readonly string[];
  readonly effect?: 'read' | 'records' | 'write';
  run(args: JsonObject, ctx: Context): Maybe<ToolOutput>;
}

/** Stored work of this extension that fires on a trigger. */
export interface Routine<Context> {
  readonly about: string;
  /** 5, 6 or 7 fields. */
  readonly cron?: string;
  readonly everyMs?: number;
  run(payload: Json, ctx: Context): Maybe<void>;
}

/**
 * What an extension contributes at one scope. `open` stands first in the literal: types are inferred from left to right,
 * and the others read what it returns as `ctx.state`.
 */
export interface Part<
  S,
  U,
  St,
  A extends ArgsByName,
  B extends ArgsByName,
  K extends MethodsByName,
  OpenScope = Scope<S>,
> {
  /** Makes the instance's state: 30 s at most. */
  open?(scope: OpenScope): Maybe<St>;
  /** Names: a letter, then up to 63 letters, digits, `_`, `-`. 64 an extension. */
  tools?: { readonly [N in keyof A]: Tool<A[N], Turn<S, U, St>> };
  /** Tools known only at run time; asked again after `scope.changed()`. */
  moreTools?(state: St): Maybe<readonly RuntimeTool<Turn<S, U, St>>[]>;
  /** Names: a small letter, then up to 31 small letters, digits, `-`. 32 an extension. */
  commands?: { readonly [N in keyof B]: Command<B[N], InSession<S, U, St>> };
  on?: Hooks<Turn<S, U, St>, InSession<S, U, St>>;
  /** Which tools `toolCall` judges: names, or a prefix with `*`. Absent is all. */
  gates?: readonly string[];
  /** Text for the system prompt: 2 s, 64 KiB. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may simply not return.
  prompt?(event: { readonly tools: readonly string[] }, ctx: Turn<S, U, St>): Maybe<void | string>;
  /** Text behind the newest message: 2 s, 64 KiB. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may simply not return.
  tail?(event: { readonly recent: readonly string[] }, ctx: Turn<S, U, St>): Maybe<void | string>;
  /** Segments for a status line: 8, keys of 32 and texts of 200 characters. */
  status?(ctx: Call<S, U, St>): Maybe<{ readonly [segment: string]: string }>;
  provides?: {
    readonly [N in keyof K]: {
      readonly cap: Cap<K[N], false>;
      readonly impl: Implementation<K[N], Call<S, U, St>>;
    };
  };
  routines?: { readonly [id: string]: Routine<Call<S, U, St>> };
  /** Ends what `open` made, before the scope's own resources end: 5 s. */
  close?(state: St): Maybe<void>;
}
