/// <reference lib="esnext.disposable" preserve="true" />
import type { CapsOf, Uses } from '../authoring/cap.ts';
import type { Entry } from '../authoring/context.ts';
import type { Extension } from '../authoring/extension.ts';
import type { AddedMessage, ArgsByName } from '../authoring/part.ts';
import type { ScopeKind } from '../authoring/scope.ts';
import type { ToolAnswer } from '../dispatch/outcome.ts';
import type { Json, JsonObject } from '../json/json.ts';
import type { Input, OutputOf, Shape } from '../schema/schema.ts';
import type { FakeAgentState } from './fake-agents.ts';
import { openHarness } from './open-harness.ts';

/** How a harness is set up. Everything may be left out. */
export interface HarnessOptions<U extends Uses, SP extends Shape> {
  /** Only the instance of this scope; without it one of each scope that the extension has. */
  readonly scope?: ScopeKind;
  /** The session's settings; defaults fill the rest. */
  readonly settings?: Partial<OutputOf<SP>>;
  /** What plays the caps that it uses. One that is left out is not provided. */
  readonly caps?: { readonly [K in keyof U]?: Partial<NonNullable<CapsOf<U>[K]>> };
  /** What stands in the session. */
  readonly entries?: readonly Entry[];
  /** The agents whose state it may touch, by name. */
  readonly agents?: Readonly<Record<string, FakeAgentState>>;
  /** The wall clock at the start: 2026-01-01T00:00:00Z unless it is said. */
  readonly nowMs?: number;
  /** Where the code runs: in this thread, behind JSON text in this thread, or in a worker. */
  readonly carrier?: 'thread' | 'json' | 'worker';
  /** The module whose default export the extension is. A worker needs it. */
  readonly module?: string | URL;
  /** What `scope.peer` of a built-in gives; not in a worker. */
  readonly peer?: unknown;
}

/** A tool of a harness: arguments as a caller may send them. They are left out where none is needed. */
export type HarnessTool<A> =
  Record<never, never> extends Input<A>
    ? (args?: Input<A>, options?: { readonly signal?: AbortSignal }) => Promise<ToolAnswer>
    : (args: Input<A>, options?: { readonly signal?: AbortSignal }) => Promise<ToolAnswer>;

/** An extension that runs as a host runs it, with a test in the place of the host. */
export interface Harness<A extends ArgsByName> extends AsyncDisposable {
  /** Its tools, without the gates: parsed, run under their budget, and how they ended. */
  readonly tools: { readonly [K in keyof A]: HarnessTool<A[K]> };
  /** A tool by its name, for those of `moreTools`. */
  callTool(name: string, args?: JsonObject, options?: { readonly signal?: AbortSignal }): Promise<ToolAnswer>;
  /** Gives a command line, with or without its slash. Answers its text, or the usage line; rejects with `unknown_command`, `command_failed`, `command_timeout`. */
  command(line: string): Promise<string>;
  /** Lets its gates judge a call, of another extension's tool too. */
  toolCall(call: {
    readonly tool: string;
    readonly args: object;
    readonly owner?: string;
  }): Promise<{ readonly args: object } | { readonly block: string }>;
  /** What `toolResult` makes of a text. */
  toolResult(end: {
    readonly tool: string;
    readonly text: string;
    readonly args?: object;
    readonly isError?: boolean;
    readonly owner?: string;
  }): Promise<string>;
  beforeAgentStart(): Promise<readonly AddedMessage[]>;
  agentEnd(status?: 'completed' | 'failed' | 'cancelled'): Promise<void>;
  sessionStart(): Promise<void>;
  sessionShutdown(): Promise<void>;
  prompt(tools?: readonly string[]): Promise<string>;
  tail(recent?: readonly string[]): Promise<string>;
  status(): Promise<Readonly<Record<string, string>>>;
  /** Fires a routine; rejects with `routine_no_handler`, `routine_failed`, `routine_timeout`. */
  routine(id: string, payload?: Json): Promise<void>;
  /** Calls a cap that it provides, as another extension would. */
  cap(kind: string, method: string, input: Json): Promise<Json>;
  /** Moves the clock, so that timers and budgets pass. In a worker time is real: it waits, 5 s at most. */
  advance(ms: number): Promise<void>;
  /** The session, as it stands. */
  readonly entries: readonly Entry[];
  /** Another session, that it opened with `scope.sessions.open`. */
  entriesOf(session: string): readonly Entry[];
  /** Lines of its log, and what a host would report of it. */
  readonly logs: readonly string[];
  readonly progress: readonly string[];
  /** The session's own settings, as `ctx.save` left them. */
  readonly settings: JsonObject;
  /** What is wrong with what it contributes; empty is good. */
  check(): Promise<readonly string[]>;
  /** Ends it, and names what it opened by itself and did not end. */
  close(): Promise<{ readonly leftOpen: readonly string[] }>;
}

/**
 * Runs an extension in a test: the same guest runtime that a host has, over a clock, a session and caps that the test owns. It
 * needs no store and no host. Rejects with `manifest_invalid` and with what opening rejects with.
 *
 * `await using t = await harness(extension)` ends it with the test.
 */
export function harness<A extends ArgsByName, B extends ArgsByName, U extends Uses, SP extends Shape>(
  extension: Extension<A, B, U, SP>,
  options: HarnessOptions<U, SP> = {},
): Promise<Harness<A>> {
  return openHarness(extension as unknown as Extension, options as HarnessOptions<Uses, Shape>) as Promise<
    Harness<ArgsByName>
  > as Promise<Harness<A>>;
}
