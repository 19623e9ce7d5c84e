import type { TableReader } from '../configuration/table.ts';
import type { Grants } from '../grants/grants.ts';
import { grantsIn } from '../grants/read-grants.ts';
import { agentLimits, sessionBounds } from '../limits.ts';
import type { ToolProfile, WorkerConfig } from './agent-config.ts';

/** The name of an agent: what can be mentioned in the middle of a sentence, and is no id. */
const AGENT_NAME = /^(?!agt_)[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9_])?$/;

export function isAgentName(name: unknown): name is string {
  return typeof name === 'string' && AGENT_NAME.test(name);
}

const PROFILES = ['full', 'brief', 'summary', 'hidden'] as const;
const TOOL_PATTERN = /^(?:[A-Za-z0-9_-]{1,64}|[A-Za-z0-9_-]{0,63}\*)$/;
const PROMPT = /^[^\0]*$/;

/** The name of an agent or worker under `key`; it must be there. */
export function nameIn(table: TableReader, key: string): string {
  const problem = `must be a name of at most ${agentLimits.name} letters, digits, - _ and ., without these at its end`;
  return table.text(key, agentLimits.name, problem, AGENT_NAME) ?? table.refuse(key, problem);
}

/** Words of one line in a list; undefined where it is absent. */
export function wordsIn(table: TableReader, key: string, pattern = /^[^\p{Cc}]+$/u): string[] | undefined {
  return table.list(key, agentLimits.list)?.map((word) => {
    const fits =
      typeof word === 'string' && pattern.test(word) && Buffer.byteLength(word) <= agentLimits.wordBytes;
    return fits ? word : table.refuse(key, 'must be a list of names');
  });
}

/** The fields of an agent, in the file and in its database, each read by itself. */
export const agentFields = {
  model: (table: TableReader) =>
    table.text('model', agentLimits.wordBytes, 'must be the name of a model, such as local/qwen'),
  system_prompt: (table: TableReader) =>
    table.text('system_prompt', agentLimits.promptBytes, 'must be text of at most 64 KiB', PROMPT),
  tools: (table: TableReader) => wordsIn(table, 'tools', TOOL_PATTERN),
  max_iterations: (table: TableReader) => table.whole('max_iterations', 1, agentLimits.maxIterationsMax),
  max_depth: (table: TableReader) => table.whole('max_depth', 0, agentLimits.maxDepthMax),
  tool_profile: profileIn,
  max_context_tokens: (table: TableReader) =>
    table.whole('max_context_tokens', agentLimits.contextTokensMin, agentLimits.contextTokensMax),
  runners: (table: TableReader) => wordsIn(table, 'runners'),
  burst: (table: TableReader) => table.whole('burst', 1, sessionBounds.burstMax),
  grants: (table: TableReader) => (table.has('grants') ? grantsIn(table.table('grants')) : undefined),
  tool_grants: toolGrantsIn,
  memory_banks: (table: TableReader) => wordsIn(table, 'memory_banks'),
  skill_banks: (table: TableReader) => wordsIn(table, 'skill_banks'),
  workers: workersIn,
} as const;

export type AgentField = keyof typeof agentFields;

/** One word for all tools, or a table of words by tool. */
function profileIn(table: TableReader): ReadonlyMap<string, ToolProfile> | undefined {
  if (!table.has('tool_profile')) return undefined;
  if (!table.isTable('tool_profile')) {
    const all = table.word('tool_profile', PROFILES);
    return all === undefined ? undefined : new Map([['default', all]]);
  }
  const profiles: TableReader = table.table('tool_profile');
  const tools = profiles.keys();
  if (tools.length > agentLimits.list)
    table.refuse('tool_profile', `must not have more than ${agentLimits.list}`);
  return new Map(
    tools.map((tool): [string, ToolProfile] => {
      if (!TOOL_PATTERN.test(tool)) profiles.refuse(tool, 'must be the name of a tool, or a beginning and *');
      return [tool, profiles.word(tool, PROFILES) ?? 'full'];
    }),
  );
}

function toolGrantsIn(table: TableReader): ReadonlyMap<string, Grants> {
  const grants: TableReader = table.table('tool_grants');
  const tools = grants.keys();
  if (tools.length > agentLimits.list)
    table.refuse('tool_grants', `must not have more than ${agentLimits.list}`);
  return new Map(tools.map((tool) => [tool, grantsIn(grants.table(tool))]));
}

function workersIn(table: TableReader): readonly WorkerConfig[] {
  const workers = table
    .tables('workers', agentLimits.workers, '[[agents.workers]]')
    .map((worker): WorkerConfig => {
      worker.refuseUnknown(['name', 'system_prompt', 'model', 'tools', 'max_iterations']);
      const systemPrompt = agentFields.system_prompt(worker);
      const model = agentFields.model(worker);
      const tools = agentFields.tools(worker);
      const maxIterations = agentFields.max_iterations(worker);
      return {
        name: nameIn(worker, 'name'),
        ...(systemPrompt === undefined ? {} : { systemPrompt }),
        ...(model === undefined ? {} : { model }),
        ...(tools === undefined ? {} : { tools }),
        ...(maxIterations === undefined ? {} : { maxIterations }),
      };
    });
  const names = workers.map(({ name }) => name.toLowerCase());
  if (new Set(names).size < names.length) table.refuse('workers', 'must not have two of one name');
  return workers;
}
