import { encodeJson, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { hubError } from '../errors.ts';
import { agentStateLimits } from '../limits.ts';

/** What an extension wants of an agent's database. */
export type AgentPlace =
  | { readonly do: 'read_doc'; readonly doc: string }
  | { readonly do: 'read_table'; readonly table: string }
  | { readonly do: 'write_doc'; readonly doc: string; readonly path: readonly string[]; readonly value: Json }
  | { readonly do: 'write_table'; readonly table: string; readonly key: string; readonly value: Json };

const STORE_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** What is live is switched by people: an extension must not take its own opt-out back. */
const WRITTEN_BY_PEOPLE: ReadonlySet<string> = new Set(['extensions', 'extension_settings']);

/** Reads a place as an extension gave it. Throws `agent_state_invalid`, with what is wrong about it. */
export function readPlace(op: 'agent_state.read' | 'agent_state.write', place: JsonObject): AgentPlace {
  const { doc, table, path, key, value } = place;
  if ((doc === undefined) === (table === undefined)) throw invalid('name a doc or a table');
  const name = doc ?? table;
  if (typeof name !== 'string' || !STORE_NAME.test(name))
    throw invalid('this is no name that may be touched');
  if (op === 'agent_state.read')
    return doc === undefined ? { do: 'read_table', table: name } : { do: 'read_doc', doc: name };
  if (WRITTEN_BY_PEOPLE.has(name)) throw invalid(`${name} is written by people alone`);
  if (value === undefined || Buffer.byteLength(encodeJson(value)) > agentStateLimits.maxValueBytes)
    throw invalid('give a value of at most 256 KiB, or null');
  if (doc === undefined) {
    if (typeof key !== 'string') throw invalid('name the key of a row');
    return { do: 'write_table', table: name, key, value };
  }
  if (!Array.isArray(path) || !path.every((step) => typeof step === 'string'))
    throw invalid('name the path in a document');
  if (path.length === 0 && !isJsonObject(value)) throw invalid('a whole document is an object');
  return { do: 'write_doc', doc: name, path: path as readonly string[], value };
}

function invalid(why: string) {
  return hubError('agent_state_invalid', why);
}
