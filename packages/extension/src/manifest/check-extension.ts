import { type DefinedPart, type Definition, definitionOf, partsOf } from '../authoring/definition.ts';
import type { Extension } from '../authoring/extension.ts';
import type { ScopeKind } from '../authoring/scope.ts';
import { policyFault } from '../guest/contributions.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { memberProblems, partMemberProblems } from './check-members.ts';
import type { Manifest } from './manifest.ts';
import { manifestFaultText } from './manifest-fault.ts';
import { validateManifest } from './validate-manifest.ts';

/** One thing that is wrong with an extension. */
export interface ExtensionProblem {
  readonly code: 'extension_not_defined' | 'manifest_invalid' | 'api_unsupported';
  readonly message: string;
}

/**
 * Everything that is wrong with an extension before any of its code runs: its manifest by every rule, and what the manifest
 * does not show (members that nothing reads, handlers that are no functions, policies out of range, caps without a method). Empty is good to install.
 */
export function checkExtension(extension: unknown): readonly ExtensionProblem[] {
  const definition = definitionOf(extension);
  if (definition === undefined)
    return [{ code: 'extension_not_defined', message: 'it was not made by defineExtension' }];
  const { manifest } = extension as Extension;
  const reading = validateManifest(manifest);
  const problems: ExtensionProblem[] = reading.ok
    ? []
    : [{ code: reading.fault.code, message: manifestFaultText(reading.fault) }];
  for (const message of memberProblems(definition)) problems.push({ code: 'manifest_invalid', message });
  for (const [scope, part] of partsOf(definition))
    for (const message of partProblems(part, scope, manifest))
      problems.push({ code: 'manifest_invalid', message });
  for (const message of usesProblems(definition)) problems.push({ code: 'manifest_invalid', message });
  return problems;
}

function* partProblems(part: DefinedPart, scope: ScopeKind, manifest: Manifest): Generator<string> {
  for (const member of ['open', 'moreTools', 'prompt', 'tail', 'status', 'close'] as const)
    if (part[member] !== undefined && typeof part[member] !== 'function')
      yield `${scope}.${member} is no function`;
  yield* partMemberProblems(part, scope);
  if (part.gates !== undefined && part.on?.['toolCall'] === undefined)
    yield `${scope}.gates stands without on.toolCall`;
  yield* runProblems(part, scope);
  for (const [name, tool] of Object.entries(part.tools ?? {})) {
    const fault = policyFault(`${scope}.tools.${name}`, tool);
    if (fault !== null) {
      yield fault;
      continue;
    }
    const args: JsonSchema | undefined = manifest.tools.find(
      (found) => found.name === name && found.scope === scope,
    )?.args;
    for (const key of tool.sensitive ?? [])
      if (args?.properties?.[key] === undefined)
        yield `${scope}.tools.${name}.sensitive names ${key}, which is no argument`;
  }
  for (const [name, { cap, impl }] of Object.entries(part.provides ?? {}))
    for (const method of cap.methods)
      if (typeof impl[method] !== 'function') yield `${scope}.provides.${name} lacks the method ${method}`;
}

function* runProblems(part: DefinedPart, scope: ScopeKind): Generator<string> {
  for (const list of ['tools', 'commands', 'routines'] as const)
    for (const [name, { run }] of Object.entries(part[list] ?? {}))
      if (typeof run !== 'function') yield `${scope}.${list}.${name}.run is no function`;
}

function* usesProblems({ uses = {} }: Definition): Generator<string> {
  for (const [alias, cap] of Object.entries(uses))
    if (typeof cap?.kind !== 'string' || !Array.isArray(cap.methods)) yield `uses.${alias} is no cap`;
}
