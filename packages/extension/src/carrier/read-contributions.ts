import { FIRED_HOOKS } from '../contracts/hook-kinds.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import { type Json, jsonEqual } from '../json/json.ts';
import { budgets, manifestLimits } from '../limits.ts';
import type { Manifest, ManifestEndpoint } from '../manifest/manifest.ts';
import { isCommandName, isGate, isToolName } from '../manifest/names.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { Contributions, ToolContribution, UsedCap } from './carrier.ts';
import { ContributionReader } from './contribution-reader.ts';

/**
 * What an instance contributes, as it came back over a port: every member by its type and bounds, every schema compiled, and
 * nothing else taken over. The guest runtime sends nothing that is refused here; code that speaks in its place may. Throws
 * `instantiate_failed` with the place. Whether the manifest declares it is asked by `checkContributions`.
 */
export function readContributions(manifest: Manifest, value: Json): Contributions {
  const reader = new ContributionReader(value, '');
  const { maxTools, maxCommands, maxGates, maxCaps, maxRoutines } = manifestLimits;
  return deepFreeze({
    tools: onlyOnce(
      reader,
      'tools',
      reader.objects('tools', (tool) => toolOf(tool, manifest), maxTools),
    ),
    commands: onlyOnce(
      reader,
      'commands',
      reader.objects('commands', (command) => commandOf(command, manifest), maxCommands),
    ),
    hooks: reader.words('hooks', FIRED_HOOKS),
    ...(reader.has('gates') ? { gates: reader.texts('gates', isGate, maxGates) } : {}),
    prompt: reader.flag('prompt'),
    tail: reader.flag('tail'),
    status: reader.flag('status'),
    caps: reader.objects('caps', capOf, maxCaps),
    routines: reader.objects('routines', routineOf, maxRoutines),
    uses: reader.objects('uses', useOf),
  });
}

function toolOf(tool: ContributionReader, { tools }: Manifest): ToolContribution {
  return {
    ...endpointOf(tool, tools, isToolName),
    risk: tool.word('risk', ['low', 'medium', 'high']),
    approval: tool.word('approval', ['never', 'unless_auto_approved', 'always']),
    timeout_ms: tool.number('timeout_ms', budgets.toolMinMs, budgets.toolMaxMs),
    ...(tool.has('per_minute') ? { per_minute: tool.number('per_minute', 0, Number.MAX_SAFE_INTEGER) } : {}),
    sensitive: tool.texts('sensitive'),
    effect: tool.word('effect', ['read', 'records', 'write']),
    runtime: tool.flag('runtime'),
    ...(tool.has('revision') ? { revision: tool.number('revision', 1, Number.MAX_SAFE_INTEGER) } : {}),
  };
}

function commandOf(command: ContributionReader, { commands }: Manifest): Contributions['commands'][number] {
  return endpointOf(command, commands, isCommandName);
}

function endpointOf(
  reader: ContributionReader,
  declared: readonly ManifestEndpoint[],
  isName: (name: string) => boolean,
) {
  const name = reader.text('name', isName);
  const about = reader.text('about', (text) => text.trim() !== '' && text.length <= manifestLimits.maxAbout);
  return { name, about, args: argsOf(reader, name, declared) };
}

/** What the manifest shows has been compiled when the manifest was read; what is known only at run time is compiled here. */
function argsOf(reader: ContributionReader, name: string, declared: readonly ManifestEndpoint[]): JsonSchema {
  const args = reader.value('args');
  const known = declared.find((entry) => entry.name === name && jsonEqual(entry.args, args));
  if (known !== undefined) return known.args;
  const compiled = compileSchema(args);
  if (!compiled.ok) return reader.refuse(compiled.fault.message, `args${compiled.fault.path}`);
  if (compiled.schema.node.type !== 'object') return reader.refuse('is no schema of an object', 'args');
  return compiled.schema.json as unknown as JsonSchema;
}

function capOf(cap: ContributionReader): Contributions['caps'][number] {
  return { kind: cap.text('kind'), methods: cap.texts('methods') };
}

function routineOf(routine: ContributionReader): Contributions['routines'][number] {
  return {
    id: routine.text('id'),
    // Nothing but the types asks an author for it.
    about: routine.has('about') ? routine.text('about') : '',
    ...(routine.has('cron') ? { cron: routine.text('cron') } : {}),
    ...(routine.has('every_ms') ? { every_ms: routine.number('every_ms', 0, Number.MAX_SAFE_INTEGER) } : {}),
  };
}

function useOf(use: ContributionReader): UsedCap {
  return {
    alias: use.text('alias'),
    kind: use.text('kind'),
    ...(use.has('provider') ? { provider: use.text('provider') } : {}),
    optional: use.flag('optional'),
  };
}

function onlyOnce<T extends { readonly name: string }>(
  reader: ContributionReader,
  member: string,
  entries: readonly T[],
): readonly T[] {
  if (new Set(entries.map(({ name }) => name)).size < entries.length)
    reader.refuse('has a name twice', member);
  return entries;
}
