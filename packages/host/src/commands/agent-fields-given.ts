import { isJsonObject, type Json, type JsonObject, nearestKey } from '@fairlead/base';
import { type AgentField, agentFields } from '../agents/agent-fields.ts';
import { readConfiguration } from '../configuration/table.ts';
import { hostError } from '../errors.ts';

/** Fields that a person may set by a command: the names of the file. Prompt files are read where the file names them alone. */
export const settableFields: readonly string[] = Object.keys(agentFields);

/**
 * The value of a field as it is stored: JSON where that fits the field, else the text itself; a list of names also as `a,b`. Throws
 * `agent_field_invalid` with what is wrong, `model_unknown` for a model that is none of this host's.
 */
export function fieldValue(name: string, text: string, isModel: (ref: string) => boolean): Json {
  if (!isField(name)) {
    const near = nearestKey(name, settableFields);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    throw hostError('agent_field_invalid', `there is no field ${name.slice(0, 48)}${hint}`);
  }
  const candidates = candidatesOf(name, text);
  let problem = '';
  for (const value of candidates) {
    const reading = readConfiguration({ [name]: value }, (table) => agentFields[name](table));
    if (reading.ok) {
      if (name === 'model' && typeof value === 'string' && !isModel(value)) throw hostError('model_unknown');
      return value;
    }
    problem = `${name} ${reading.problem}`;
  }
  throw hostError('agent_field_invalid', problem);
}

/** Fields typed as `name=value`, each whole in one word. */
export function fieldsGiven(words: readonly string[], isModel: (ref: string) => boolean): JsonObject {
  const fields: Record<string, Json> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) throw hostError('agent_field_invalid', `${word.slice(0, 48)} is no field=value`);
    const name = word.slice(0, at);
    if (Object.hasOwn(fields, name)) throw hostError('agent_field_invalid', `${name} stands there twice`);
    fields[name] = fieldValue(name, word.slice(at + 1), isModel);
  }
  return fields;
}

function isField(name: string): name is AgentField {
  return Object.hasOwn(agentFields, name);
}

const LISTS: ReadonlySet<string> = new Set(['tools', 'runners', 'memory_banks', 'skill_banks']);

/** What the text may mean, the likelier first. */
function candidatesOf(name: AgentField, text: string): readonly Json[] {
  const parsed = parsedJson(text);
  if (name === 'system_prompt' || name === 'model') return [text];
  const words = LISTS.has(name) && !isJsonObject(parsed) && !Array.isArray(parsed);
  if (words) return [text.trim() === '' ? [] : text.split(',').map((word) => word.trim())];
  return parsed === undefined ? [text] : [parsed];
}

function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
