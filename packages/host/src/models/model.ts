import { FairleadError, type Json, type JsonObject } from '@fairlead/base';
import { type HostErrorCode, hostErrors } from '../errors.ts';

/** What a model API attaches to its words and wants back in the same turn, such as a signature. Never stored, never read here. */
export type ModelMetadata = JsonObject;

/** A call as it stands in the history: its arguments are the ones that ran. */
export interface MessageCall {
  /** Unique among the calls of one request; a `tool` message refers to it. */
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly metadata?: ModelMetadata;
}

/** Reasoning that a model wants to see again within its turn. */
export interface MessageReasoning {
  readonly text: string;
  readonly metadata?: ModelMetadata;
}

/**
 * What a model reads, oldest first. System messages at the front are one instruction; one further back is read as a person's. Each
 * `tool` message answers a call of the assistant message before it, and each call has its answer.
 */
export type Message =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls?: readonly MessageCall[];
      readonly reasoning?: readonly MessageReasoning[];
    }
  | {
      readonly role: 'tool';
      /** The id of the call. */
      readonly call: string;
      readonly text: string;
      readonly structured?: Json;
      /** True where the tool said that it failed, or did not run. */
      readonly error?: boolean;
      /** Whose words these are: with its name they are shown as a tool's, so that nobody takes them for a person's. */
      readonly tool?: string;
      /** What the host has to say of the call, in front. */
      readonly note?: string;
    };

/** A tool as it is offered. `name` matches `[A-Za-z0-9_-]{1,64}`; `schema` is a JSON Schema of an object. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** Where in a conversation a request stands; what a script finds its place by. Everything counts from 0. */
export interface ModelMeta {
  readonly session: string;
  /** The agent's name. */
  readonly agent: string;
  /** The name of the worker that speaks for the agent. */
  readonly worker?: string;
  /** How many turns of this agent the session had before this one: its earlier `ack` entries. */
  readonly turn: number;
  /** How many steps this turn had before: its earlier model calls, attempts not counted. */
  readonly step: number;
  /** How many attempts at this step were broken. */
  readonly attempt: number;
}

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
  /** The most that the reply may have, in tokens. */
  readonly maxTokens: number;
  /** Ends the request at once; the stream then throws `model_cancelled`. */
  readonly signal: AbortSignal;
  readonly meta: ModelMeta;
}

/** Tokens of one attempt. `cached` and `written` are part of `input`, `reasoning` is part of `output`. */
export interface ModelUsage {
  readonly input: number;
  readonly output: number;
  /** Read from the back end's prompt cache. */
  readonly cached: number;
  /** Written to it. */
  readonly written: number;
  readonly reasoning: number;
}

/**
 * Why a reply ended. `calls`: it asks for tools. `length`: it was cut, and none of its calls may run. `filter`: the back end
 * withheld the rest.
 */
export type EndReason = 'stop' | 'calls' | 'length' | 'filter';

/** A call that the model asks for. One whose arguments are no JSON object has their text instead: nobody can run it by mistake. */
export type CallPart =
  | {
      readonly type: 'call';
      readonly id: string;
      readonly name: string;
      readonly arguments: JsonObject;
      readonly metadata?: ModelMetadata;
    }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly unparsable: string };

/** A piece of a reply. `end` comes last, once; `usage` is null where the back end did not tell it. */
export type ModelPart =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string; readonly metadata?: ModelMetadata }
  | CallPart
  | { readonly type: 'end'; readonly reason: EndReason; readonly usage: ModelUsage | null };

/**
 * A model behind whatever API. One request is one attempt: nothing is tried again here and no tool is run. The stream ends with
 * an `end` part or throws a `ModelFault`; whoever stops reading early ends the request.
 */
export interface Model {
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

/** An attempt that failed. `message` and `detail` are safe to show; the back end's own words stand in `detail.said`, short and redacted. */
export class ModelFault extends FairleadError {
  declare readonly code: HostErrorCode;
  /** True where the same request may succeed later. */
  readonly retryable: boolean;
  /** What the back end asked to wait before the next attempt. */
  declare readonly afterMs?: number;
  /** True where it is certain that the attempt cost nothing: it never arrived, or was refused before any of the reply. */
  readonly free: boolean;

  constructor(
    code: HostErrorCode,
    options: {
      readonly retryable: boolean;
      readonly free?: boolean;
      readonly afterMs?: number;
      readonly what?: string;
      readonly detail?: Json;
      readonly cause?: unknown;
    },
  ) {
    const { message } = hostErrors[code];
    super(code, options.what === undefined ? message : `${message} (${options.what})`, {
      ...(options.detail === undefined ? {} : { detail: options.detail }),
      ...(options.cause === undefined ? {} : { cause: options.cause }),
    });
    this.name = 'ModelFault';
    this.retryable = options.retryable;
    this.free = options.free ?? false;
    if (options.afterMs !== undefined) this.afterMs = options.afterMs;
  }
}
