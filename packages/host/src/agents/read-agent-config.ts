import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { readConfiguration } from '../configuration/table.ts';
import { DENY_ALL } from '../grants/grants.ts';
import { agentLimits } from '../limits.ts';
import type { AgentConfig, PromptFile } from './agent-config.ts';
import { type AgentField, agentFields } from './agent-fields.ts';

/** An agent's configuration, and the fields of its database that cannot be used here. */
export interface AgentConfigReading {
  readonly config: AgentConfig;
  readonly problems: readonly { readonly field: string; readonly problem: string }[];
}

/**
 * Reads the document `config` of an agent's database, which any peer may have written. A field that cannot be read falls to what allows
 * less: no tools, no Runners, no grants, no workers; others to their default. A model that is none of this peer's (`isModel`) is left out.
 */
export function readAgentConfig(document: JsonObject, isModel: (ref: string) => boolean): AgentConfigReading {
  const problems: { field: string; problem: string }[] = [];
  const read = <Field extends AgentField>(field: Field) => {
    const value = document[field];
    if (value === undefined || value === null) return { ok: true, value: undefined } as const;
    const reading = readConfiguration({ [field]: value }, (table) => agentFields[field](table));
    if (reading.ok)
      return { ok: true, value: reading.value as ReturnType<(typeof agentFields)[Field]> } as const;
    problems.push({ field, problem: reading.problem });
    return { ok: false, value: undefined } as const;
  };
  const model = read('model').value;
  const known = model !== undefined && isModel(model);
  if (model !== undefined && !known) problems.push({ field: 'model', problem: 'is no model of this peer' });
  const tools = read('tools');
  const runners = read('runners');
  const grants = read('grants');
  const toolGrants = read('tool_grants');
  const closed = !grants.ok || !toolGrants.ok;
  const depth = read('max_depth');
  const maxContextTokens = read('max_context_tokens').value;
  const burst = read('burst').value;
  const workers = (read('workers').value ?? []).map(({ model: own, ...worker }) =>
    own !== undefined && isModel(own) ? { ...worker, model: own } : worker,
  );
  const config: AgentConfig = {
    ...(known ? { model } : {}),
    systemPrompt: read('system_prompt').value ?? '',
    promptFiles: promptFilesIn(document['system_prompt_files']),
    ...listOf('tools', tools),
    maxIterations: read('max_iterations').value ?? agentLimits.maxIterations,
    maxDepth: depth.ok ? (depth.value ?? agentLimits.maxDepth) : 0,
    toolProfile: read('tool_profile').value ?? new Map(),
    ...(maxContextTokens === undefined ? {} : { maxContextTokens }),
    ...listOf('runners', runners),
    ...(burst === undefined ? {} : { burst }),
    ...(closed ? { grants: DENY_ALL } : grants.value === undefined ? {} : { grants: grants.value }),
    toolGrants: toolGrants.value ?? new Map(),
    memoryBanks: read('memory_banks').value ?? [],
    skillBanks: read('skill_banks').value ?? [],
    workers,
  };
  return { config, problems };
}

/** Absent is everything, so what cannot be read must not be absent. */
function listOf<const Name extends 'tools' | 'runners'>(
  name: Name,
  { ok, value }: { readonly ok: boolean; readonly value: readonly string[] | undefined },
): { readonly [N in Name]?: readonly string[] } {
  if (!ok) return { [name]: [] } as unknown as { [N in Name]?: readonly string[] };
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: readonly string[] };
}

function promptFilesIn(value: Json | undefined): readonly PromptFile[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, agentLimits.promptFiles).flatMap((file: Json): readonly PromptFile[] => {
    if (!isJsonObject(file)) return [];
    const { name, text, digest } = file;
    if (typeof name !== 'string' || typeof text !== 'string' || typeof digest !== 'string') return [];
    if (Buffer.byteLength(text) > agentLimits.promptBytes || Buffer.byteLength(name) > agentLimits.pathBytes)
      return [];
    return [{ name, text, digest }];
  });
}
