import { type DefinedPart, type Definition, PART_MEMBERS } from '../authoring/definition.ts';
import type { ScopeKind } from '../authoring/scope.ts';
import { HOOK_MEMBERS } from '../contracts/hook-kinds.ts';
import { isJsonObject } from '../json/json.ts';
import { nearestName } from './nearest-name.ts';

/** What a literal may hold beside the members of its global part; `builtin` says who made it. */
const OWN_MEMBERS = ['name', 'version', 'settings', 'uses', 'access', 'agent', 'session', 'builtin'] as const;
const COMMAND_MEMBERS = ['about', 'args', 'run'] as const;
const MEMBERS_OF = {
  tools: [...COMMAND_MEMBERS, 'risk', 'approval', 'timeoutMs', 'perMinute', 'sensitive', 'effect'],
  commands: COMMAND_MEMBERS,
  routines: ['about', 'cron', 'everyMs', 'run'],
  provides: ['cap', 'impl'],
} as const satisfies Partial<Record<keyof DefinedPart, readonly string[]>>;
const HOOKS: readonly string[] = Object.values(HOOK_MEMBERS);

/**
 * Members of the literal that nothing reads, with the name that was most likely meant: a gate that is spelt wrongly would be
 * installed as no gate, and an `approval` as none.
 */
export function* memberProblems(definition: Definition): Generator<string> {
  yield* unknownIn(definition, [...OWN_MEMBERS, ...PART_MEMBERS], '', 'an extension');
  for (const scope of ['agent', 'session'] as const) {
    const part: unknown = definition[scope];
    if (part === undefined) continue;
    if (isJsonObject(part)) yield* unknownIn(part, PART_MEMBERS, `${scope}.`, 'a part');
    else yield `${scope} is no object`;
  }
}

/** The same of what stands in one part. */
export function* partMemberProblems(part: DefinedPart, scope: ScopeKind): Generator<string> {
  for (const [list, members] of Object.entries(MEMBERS_OF)) {
    const entries: unknown = part[list as keyof typeof MEMBERS_OF];
    if (entries !== undefined && !isJsonObject(entries)) yield `${scope}.${list} is no object`;
    for (const [name, entry] of Object.entries(entries ?? {}))
      yield* unknownIn(entry as object, members, `${scope}.${list}.${name}.`, `one of the ${list}`);
  }
  const on: unknown = part.on;
  if (on !== undefined && !isJsonObject(on)) yield `${scope}.on is no object`;
  for (const [name, handler] of Object.entries(part.on ?? {}))
    if (!HOOKS.includes(name)) yield `${scope}.on.${name} is not a hook${meant(name, HOOKS)}`;
    else if (handler !== undefined && typeof handler !== 'function')
      yield `${scope}.on.${name} is no function`;
}

function* unknownIn(
  object: object,
  members: readonly string[],
  place: string,
  what: string,
): Generator<string> {
  for (const name of Object.keys(object))
    if (!members.includes(name)) yield `${place}${name} is no member of ${what}${meant(name, members)}`;
}

function meant(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? '' : ` (is ${nearest} meant?)`;
}
