import { type DefinedPart, type Definition, partsOf } from '../authoring/definition.ts';
import type { ScopeKind } from '../authoring/scope.ts';
import { FIRED_HOOKS, HOOK_MEMBERS } from '../contracts/hook-kinds.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import { jsonOf } from '../schema/any-schema.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { AnySchema } from '../schema/schema.ts';
import {
  API_VERSION,
  type CapabilityRequest,
  type Manifest,
  type ManifestEndpoint,
  type ManifestRoutine,
} from './manifest.ts';

type Parts = readonly (readonly [ScopeKind, DefinedPart])[];

/**
 * The manifest of a literal. Derived and never judged: a name that breaks its pattern, a schema that the dialect does not know
 * stand in it as they are, for `validateManifest` to find.
 */
export function deriveManifest(definition: Definition): Manifest {
  const parts = partsOf(definition);
  const gates = gatesOf(parts);
  return deepFreeze({
    api: API_VERSION,
    name: definition.name,
    version: definition.version,
    scopes: parts.map(([scope]) => scope),
    hooks: hooksOf(parts),
    ...(gates === undefined ? {} : { gates }),
    requires: [...hostKinds(definition, parts), ...usesOf(definition, false)],
    requests: usesOf(definition, true),
    provides: providesOf(parts),
    settings: schemaJson(definition.settings),
    tools: parts.flatMap(([scope, part]) => endpoints(part.tools, scope)),
    commands: parts.flatMap(([scope, part]) => endpoints(part.commands, scope)),
    routines: parts.flatMap(([scope, part]) => routinesOf(part, scope)),
  });
}

function hooksOf(parts: Parts): string[] {
  const has = (test: (part: DefinedPart) => boolean) => parts.some(([, part]) => test(part));
  const fired: string[] = FIRED_HOOKS.filter((kind) =>
    has(({ on }) => on?.[HOOK_MEMBERS[kind]] !== undefined),
  );
  if (has(({ tools, moreTools }) => isFilled(tools) || moreTools !== undefined)) fired.push('tool');
  if (has(({ commands }) => isFilled(commands))) fired.push('command');
  return fired;
}

/** All tools that any part judges; absent where one part judges every tool. */
function gatesOf(parts: Parts): string[] | undefined {
  const judging = parts.filter(([, { on }]) => on?.['toolCall'] !== undefined);
  if (judging.length === 0 || judging.some(([, { gates }]) => gates === undefined)) return undefined;
  return [...new Set(judging.flatMap(([, { gates }]) => gates ?? []))];
}

function hostKinds(definition: Definition, parts: Parts): CapabilityRequest[] {
  const kinds: string[] = [...new Set(definition.access ?? [])];
  if (isFilled(definition.settings)) kinds.push('settings');
  if (parts.some(([, { tools, moreTools }]) => isFilled(tools) || moreTools !== undefined))
    kinds.push('tool_registration');
  if (parts.some(([, { commands }]) => isFilled(commands))) kinds.push('command_registration');
  return kinds.map((kind) => ({ kind }));
}

function usesOf({ uses = {} }: Definition, optional: boolean): CapabilityRequest[] {
  const requests = Object.values(uses)
    .filter((cap) => cap.isOptional === optional)
    .map(({ kind, provider }) => (provider === undefined ? { kind } : { kind, provider }));
  // Two aliases of one cap are one need.
  return [...new Map(requests.map((request) => [JSON.stringify(request), request])).values()];
}

function providesOf(parts: Parts): string[] {
  const kinds: string[] = [];
  for (const [, part] of parts) {
    const own = Object.values(part.provides ?? {}).map(({ cap }) => cap.kind);
    // Twice in one part is a fault, and stays to be found; once in each of two parts is one cap.
    kinds.push(...own.filter((kind, index) => !kinds.includes(kind) || own.indexOf(kind) !== index));
    if (part.prompt !== undefined) add(kinds, 'prompt_augmentation');
    if (part.tail !== undefined) add(kinds, 'context_tail');
    if (part.status !== undefined) add(kinds, 'status_segment');
  }
  return kinds;
}

function add(kinds: string[], kind: string): void {
  if (!kinds.includes(kind)) kinds.push(kind);
}

function endpoints(
  named: Readonly<Record<string, { readonly about: string; readonly args?: AnySchema }>> | undefined,
  scope: ScopeKind,
): ManifestEndpoint[] {
  return Object.entries(named ?? {}).map(([name, { about, args }]) => ({
    name,
    about,
    args: schemaJson(args),
    scope,
  }));
}

/** The schema as JSON; what cannot be converted is told in its place, where the dialect refuses it. */
function schemaJson(schema: AnySchema | undefined): JsonSchema {
  let json: object;
  try {
    json = jsonOf(schema);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    json = { unconvertible: reason.slice(0, 200) };
  }
  const compiled = compileSchema(json);
  return (compiled.ok ? compiled.schema.json : json) as JsonSchema;
}

function routinesOf({ routines = {} }: DefinedPart, scope: ScopeKind): ManifestRoutine[] {
  return Object.entries(routines).map(([id, { cron, everyMs }]) => ({
    id,
    ...(cron === undefined ? {} : { cron }),
    ...(everyMs === undefined ? {} : { every_ms: everyMs }),
    scope,
  }));
}

function isFilled(members: object | undefined): boolean {
  return members !== undefined && Object.keys(members).length > 0;
}
