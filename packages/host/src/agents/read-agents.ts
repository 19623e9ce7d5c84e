import { encodeJson, type Json, type JsonObject } from '@fairlead/base';
import { type ConfigurationReading, readConfiguration, type TableReader } from '../configuration/table.ts';
import { agentLimits } from '../limits.ts';
import { agentFields, nameIn, wordsIn } from './agent-fields.ts';

/** One `[[agents]]` of `fairlead.toml`. */
export interface AgentTable {
  readonly name: string;
  /** What stands in the file, by field and as it is stored; an absent field says nothing. */
  readonly fields: JsonObject;
  /** Paths of the files of its prompt, in their order; `~` and relative ones are the caller's to resolve. */
  readonly promptFiles: readonly string[];
  /** Extensions that are off for this agent; undefined where the file does not say. */
  readonly extensionsOff: readonly string[] | undefined;
}

/** What the file says of agents. */
export interface AgentTables {
  readonly agents: readonly AgentTable[];
  /** `[agent_groups]`: which agents a new session gets under the name of a group. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
}

/** The keys of `fairlead.toml` that are read here. */
export const agentKeys: readonly string[] = ['agents', 'agent_groups'];

const FIELDS = Object.keys(agentFields) as (keyof typeof agentFields)[];
const EXTENSION_NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/**
 * Reads `[[agents]]` and `[agent_groups]` of a parsed `fairlead.toml`. A key that is not known refuses the file: a misspelt `tools` would
 * leave an agent with all of them.
 */
export function readAgents(document: Readonly<Record<string, unknown>>): ConfigurationReading<AgentTables> {
  return readConfiguration(document, (root) => {
    const tables = root.tables('agents', agentLimits.agents, '[[agents]]');
    const raw = (document['agents'] ?? []) as readonly JsonObject[];
    const agents = tables.map((table, index) => agentIn(table, raw[index] ?? {}));
    const names = new Set<string>();
    for (const [index, { name }] of agents.entries()) {
      if (names.has(name.toLowerCase())) tables[index]?.refuse('name', 'is the name of another agent, too');
      names.add(name.toLowerCase());
    }
    return { agents, groups: groupsIn(root, names) };
  });
}

function agentIn(table: TableReader, raw: JsonObject): AgentTable {
  table.refuseUnknown(['name', 'system_prompt_files', 'extensions_off', ...FIELDS]);
  const name = nameIn(table, 'name');
  const fields: Record<string, Json> = {};
  for (const field of FIELDS) {
    agentFields[field](table);
    const value = raw[field];
    if (value !== undefined) fields[field] = plain(value);
  }
  const promptFiles = table.list('system_prompt_files', agentLimits.promptFiles)?.map((path) => {
    const fits = typeof path === 'string' && path !== '' && !path.includes('\0');
    if (fits && Buffer.byteLength(path) <= agentLimits.pathBytes) return path;
    return table.refuse('system_prompt_files', 'must be a list of paths');
  });
  return {
    name,
    fields,
    promptFiles: promptFiles ?? [],
    extensionsOff: wordsIn(table, 'extensions_off', EXTENSION_NAME),
  };
}

/** What the readers took is JSON; the parser's tables have no prototype, and what is stored is a copy of its own. */
function plain(value: Json): Json {
  return JSON.parse(encodeJson(value)) as Json;
}

function groupsIn(root: TableReader, agents: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const groups: TableReader = root.table('agent_groups');
  const names = groups.keys();
  if (names.length > agentLimits.groups)
    root.refuse('agent_groups', `must not have more than ${agentLimits.groups}`);
  return new Map(
    names.map((name) => {
      const members = wordsIn(groups, name) ?? [];
      for (const member of members)
        if (agents.size > 0 && !agents.has(member.toLowerCase()))
          groups.notice(name, `names ${JSON.stringify(member)}, which is no agent of this file`);
      return [name, members];
    }),
  );
}
