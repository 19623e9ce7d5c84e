import type { Json, JsonObject } from '../json/json.ts';
import type { AnySchema, Shape } from '../schema/schema.ts';
import type { Uses } from './cap.ts';
import type { Access, Extension } from './extension.ts';
import type { ScopeKind } from './scope.ts';

type Handler<Input> = (input: Input, ctx: unknown) => unknown;

/** A literal's part with its types erased: what the guest runtime reads. */
export interface DefinedPart {
  readonly open?: (scope: unknown) => unknown;
  readonly tools?: Readonly<Record<string, DefinedTool>>;
  readonly moreTools?: (state: unknown) => unknown;
  readonly commands?: Readonly<Record<string, DefinedCommand>>;
  readonly on?: Readonly<Record<string, Handler<Json> | undefined>>;
  readonly gates?: readonly string[];
  readonly prompt?: Handler<Json>;
  readonly tail?: Handler<Json>;
  readonly status?: (ctx: unknown) => unknown;
  readonly provides?: Readonly<Record<string, DefinedProvision>>;
  readonly routines?: Readonly<Record<string, DefinedRoutine>>;
  readonly close?: (state: unknown) => unknown;
}

export interface DefinedCommand {
  readonly about: string;
  readonly args?: AnySchema;
  readonly run: Handler<unknown>;
}

export interface DefinedTool extends DefinedCommand {
  readonly risk?: 'low' | 'medium' | 'high';
  readonly approval?: 'never' | 'unless_auto_approved' | 'always';
  readonly timeoutMs?: number;
  readonly perMinute?: number;
  readonly sensitive?: readonly string[];
  readonly effect?: 'read' | 'records' | 'write';
  /** Of a host's own extension, for a tool that another program has: `ForeignTool`. No port carries it. */
  readonly foreign?: DefinedForeignTool;
  /** `shown` is for a foreign tool: the target that its caller was shown, perhaps of a tool that had its name before. */
  readonly run: (input: unknown, ctx: unknown, shown?: string) => unknown;
}

/** Whose tool it is that a host's own extension hands on. */
interface DefinedForeignTool {
  readonly target: string;
  readonly tool: string;
  readonly hints: { readonly destructiveHint?: boolean; readonly readOnlyHint?: boolean };
  readonly tier?: 'native';
}

interface DefinedProvision {
  readonly cap: { readonly kind: string; readonly methods: readonly string[] };
  readonly impl: Readonly<Record<string, Handler<Json>>>;
}

interface DefinedRoutine {
  readonly about: string;
  readonly cron?: string;
  readonly everyMs?: number;
  readonly run: Handler<Json>;
}

/** A literal with its types erased. The members of the global scope stand at the top. */
export interface Definition extends DefinedPart {
  readonly name: string;
  readonly version: string;
  readonly settings?: Shape;
  readonly uses?: Uses;
  readonly access?: readonly Access[];
  readonly agent?: DefinedPart;
  readonly session?: DefinedPart;
  /** Made by a definer of built-ins: its scope has `peer`. */
  readonly builtin: boolean;
}

// Registered, so that an extension made by an author's own copy of this package is known to the host's.
const DEFINITION: unique symbol = Symbol.for('fairlead.extension.definition') as never;

/** Puts a definition behind an extension, where only {@link definitionOf} finds it. */
export function seal<E extends object>(extension: E, definition: Definition): E {
  Object.defineProperty(extension, DEFINITION, { value: definition });
  return Object.freeze(extension);
}

/** The definition behind an extension; undefined for anything that `defineExtension` did not make. */
export function definitionOf(extension: unknown): Definition | undefined {
  if (typeof extension !== 'object' || extension === null) return undefined;
  const found: unknown = Reflect.get(extension, DEFINITION);
  return found === undefined ? undefined : (found as Definition);
}

/** Whether a value is an extension that `defineExtension` made. */
export function isExtension(value: unknown): value is Extension {
  return definitionOf(value) !== undefined;
}

/** The parts of a definition in the order in which they contribute: global, agent, session. */
export function partsOf(definition: Definition): readonly (readonly [ScopeKind, DefinedPart])[] {
  const parts: (readonly [ScopeKind, DefinedPart])[] = [];
  const alone = definition.agent === undefined && definition.session === undefined;
  if (alone || PART_MEMBERS.some((member) => definition[member] !== undefined))
    parts.push(['global', definition]);
  if (definition.agent !== undefined) parts.push(['agent', definition.agent]);
  if (definition.session !== undefined) parts.push(['session', definition.session]);
  return parts;
}

/** What a part may hold. */
export const PART_MEMBERS = [
  'open',
  'tools',
  'moreTools',
  'commands',
  'on',
  'gates',
  'prompt',
  'tail',
  'status',
  'provides',
  'routines',
  'close',
] as const satisfies readonly (keyof DefinedPart)[];

/** A frozen object without members: what a handler of an occasion is handed. */
export const NOTHING: JsonObject = Object.freeze({});
