import type { ScopeKind } from '../authoring/scope.ts';
import type { FiredKind } from '../contracts/hook-contracts.ts';
import type { HookKind } from '../contracts/hook-kinds.ts';
import type { Json, JsonObject } from '../json/json.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { ParseResult } from '../schema/compile-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

/** What of an instance is called. */
export type EndpointKind = 'tool' | 'command' | 'hook' | 'prompt' | 'tail' | 'status' | 'cap' | 'routine';

/** A call's id: `call_…` for what is journalled, a number of the host's for the rest. Unique among the calls in flight of one carrier. */
export type CallId = string | number;

/** What the host tells a call, as plain data. It may be shared by many calls: nothing changes it. */
export interface CallContext {
  readonly agent?: { readonly id: string; readonly name: string };
  /** The session's root id. */
  readonly session?: string;
  /** The merge for this call, frozen. */
  readonly settings: JsonObject;
  /** The caps that are provided here: alias → method names. An alias that is absent is `undefined` to the handler. */
  readonly caps: { readonly [alias: string]: readonly string[] };
  /** The host's wall clock. A carrier that leaves the thread fills it in. */
  readonly now_ms?: number;
  /** How many caps stand above this call; absent is none. */
  readonly depth?: number;
}

/** One call into an instance. */
export interface CallRequest {
  readonly call: CallId;
  readonly instance: string;
  readonly endpoint: EndpointKind;
  /** The tool's, command's, hook's name, the kind of a cap, the id of a routine; "" for prompt, tail and status. */
  readonly name: string;
  /** Of a cap. */
  readonly method?: string;
  /** Of a tool that has one: `foreign.target` as the caller was shown it. The tool is handed it, and refuses another one. */
  readonly target?: string;
  /** Of a tool that has one: `revision` as the caller was shown it. Another one is `tool_not_found`. */
  readonly revision?: number;
  /** Parsed and deep-frozen. */
  readonly input: Json;
  readonly context: CallContext;
  /** Filled in by the carrier while the call runs. */
  running?: RunningCall | undefined;
}

/** The end of a running call that the host holds. In the host's thread it is the handler's own context, hence the names. */
export interface RunningCall {
  '~abort'(): void;
  '~end'(): void;
  /** Aborts with the call: what it asked for, and waits for, is cancelled with it. Absent where nothing is asked. */
  readonly '~signal'?: AbortSignal;
}

/** Aborts the handler's signal, if it looks at it. The call stays open: a tool may still say how it ended. */
export function abortCall(request: CallRequest): void {
  request.running?.['~abort']();
}

/** Ends a call for good: its context expires, and what it still answers is void. */
export function endCall(request: CallRequest): void {
  request.running?.['~end']();
}

/** What opens an instance. */
export interface OpenRequest {
  /** The host's name for it. Opening an open instance answers its contributions anew. */
  readonly instance: string;
  readonly kind: ScopeKind;
  /** The root id of the agent's or session's database; "" at global scope. */
  readonly key: string;
  /** The agent's or session's name, for people. */
  readonly name?: string;
  readonly settings: JsonObject;
}

/** A tool as an instance contributes it. */
export interface ToolContribution {
  readonly name: string;
  readonly about: string;
  readonly args: JsonSchema;
  readonly risk: 'low' | 'medium' | 'high';
  readonly approval: 'never' | 'unless_auto_approved' | 'always';
  readonly timeout_ms: number;
  readonly per_minute?: number;
  readonly sensitive: readonly string[];
  readonly effect: 'read' | 'records' | 'write';
  /** It came from `moreTools`. */
  readonly runtime: boolean;
  /** Of a tool of `moreTools` that is not foreign: tells it from any other that its instance had under its name. */
  readonly revision?: number;
  /** Of a tool of another program, behind a carrier of the host's own. Nothing that crosses a port has it. */
  readonly foreign?: ForeignTool;
}

/** Whose tool it is that stands behind an extension: a server's, a plugin's. */
export interface ForeignTool {
  /** Names it and what was approved of it: what an approval of a call is bound to. */
  readonly target: string;
  /** As its program calls it. */
  readonly tool: string;
  /** Its program's words. They decide how often a person is asked, and nothing else. */
  readonly hints: { readonly destructiveHint?: boolean; readonly readOnlyHint?: boolean };
  /** Where it runs, when that is not where its extension does. */
  readonly tier?: 'native';
}

/** A cap that an instance uses, under the name that its contexts give it. */
export interface UsedCap {
  readonly alias: string;
  readonly kind: string;
  /** The extension that must provide it, where the literal names one. */
  readonly provider?: string;
  readonly optional: boolean;
}

/** Everything that one instance contributes, as plain data. */
export interface Contributions {
  readonly tools: readonly ToolContribution[];
  readonly commands: readonly { readonly name: string; readonly about: string; readonly args: JsonSchema }[];
  readonly hooks: readonly HookKind[];
  /** Which tools the gate judges; absent is all. */
  readonly gates?: readonly string[];
  readonly prompt: boolean;
  readonly tail: boolean;
  readonly status: boolean;
  readonly caps: readonly { readonly kind: string; readonly methods: readonly string[] }[];
  readonly routines: readonly {
    readonly id: string;
    readonly about: string;
    readonly cron?: string;
    readonly every_ms?: number;
  }[];
  /** What its calls need of others: `context.caps` names the methods under these aliases. */
  readonly uses: readonly UsedCap[];
}

/** One event on its way through handlers. They share it: a handler costs no request of its own unless it asks something. */
export interface Firing {
  readonly endpoint: EndpointKind;
  /** The hook's name; "" for a prompt, a tail, a status. */
  readonly name: string;
  /** Frozen. */
  readonly input: Json;
  /** A number for a call, not used before. */
  nextCall(): number;
  /** The call that was begun last: read it before the next one begins, and end it. */
  running: RunningCall | undefined;
}

/** One hook, prompt, tail or status of one instance, looked up once and fired often. */
export interface HookEndpoint {
  /**
   * Enters the handler, and leaves its call in `firing.running`. What comes back is raw and not trusted: a value, or a promise of
   * one; it may throw. Whoever fires ends the call with `'~end'`.
   */
  begin(firing: Firing, context: CallContext): unknown;
}

/** Why nothing behind a carrier can be called any more. */
export interface Death {
  readonly code: 'extension_crashed' | 'extension_unresponsive' | 'extension_ended' | 'extension_load_failed';
  readonly reason: string;
}

/**
 * One extension, wherever its code runs: all that the hub sees of a tier. Every value that crosses is plain JSON and frozen.
 * Errors are `ExtensionError`s; the certainty of a call that failed stands on its error.
 */
export interface Carrier {
  readonly manifest: Manifest;
  readonly dead: Death | undefined;
  /** Why less of it can be called than it has: shown to people, and keeps nothing from being called. Absent is never. */
  readonly notice?: { readonly code: string; readonly reason: string } | undefined;
  /** Checks a tool's arguments where its schema is of another dialect. Never throws; answers as a compiled schema does. Absent: the dialect's own. */
  parse?(instance: string, tool: string, args: Json): ParseResult;
  /** Opens an instance: `instantiate_failed`, `extension_ended`. The budget is the caller's to keep. */
  open(request: OpenRequest): Promise<Contributions>;
  /** Calls an endpoint; answers at once where it can. Once a promise is returned, only `running` ends it early. */
  call(request: CallRequest): Json | Promise<Json>;
  /** Looks a hook up: the fast way in, for what is fired at every turn. */
  hook(instance: string, kind: FiredKind): HookEndpoint;
  /** Settles when no call of an instance (of all of them without one) is in flight. */
  idle(instance?: string): Promise<void>;
  /**
   * It leaves: the signals of its scopes abort, their timers and listeners fall silent, and no other instance is opened. Its calls go
   * on. Absent: nothing of it runs by itself.
   */
  quiet?(): void;
  /** Ends an instance: `close`, then what its scope owns, in reverse order. Never rejects; what fails is logged. */
  close(instance: string): Promise<void>;
  /** Ends every instance, the last one first, then the code itself. */
  end(): Promise<void>;
}
