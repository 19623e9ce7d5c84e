import { encodeJson, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { Ask, Manifest } from '@fairlead/extension/runtime';
import type { Database } from '@fairlead/store';
import { hubError } from '../errors.ts';
import { agentStateLimits } from '../limits.ts';
import type { AgentDirectory, HostedAgent } from './agent-directory.ts';
import { type AgentPlace, readPlace } from './agent-place.ts';
import { type AgentStateAllowlist, isInScope } from './agent-scope.ts';

/** A question about the state of an agent. */
export type AgentAsk = Extract<Ask, { readonly op: `agent_state.${string}` }>;

/** Who asks. */
export interface AgentStateCaller {
  readonly extension: string;
  readonly manifest: Manifest;
}

/**
 * Answers what extensions ask about the state of agents, within the operator's list. An agent that is out of reach is answered
 * like one that there is not: with null, so that nobody learns which agents there are. A guardrail, not a sandbox.
 */
export class AgentStates {
  readonly #directory: AgentDirectory;
  readonly #allowlist: AgentStateAllowlist;

  constructor(directory: AgentDirectory, allowlist: AgentStateAllowlist) {
    this.#directory = directory;
    this.#allowlist = allowlist;
  }

  /** Rejects with `agent_state_invalid`, or with a code of the store where this peer may not write there. */
  async answer(ask: AgentAsk, caller: AgentStateCaller): Promise<Json> {
    const place = ask.op === 'agent_state.resolve' ? undefined : readPlace(ask.op, ask.place);
    const agent = await this.#directory.resolve(ask.agent);
    if (agent === null || !isInScope(agent, { ...caller, allowlist: this.#allowlist })) return null;
    if (place === undefined) return { id: agent.id, name: agent.name };
    return await answerAt(await this.#directory.open(agent.id), place, agent);
  }
}

async function answerAt(database: Database, place: AgentPlace, { name }: HostedAgent): Promise<Json> {
  switch (place.do) {
    case 'read_doc':
      return bounded(await database.doc(place.doc).get(), name);
    case 'read_table':
      return await newestRows(database, place.table);
    case 'write_doc':
      await database.commit((tx) => {
        if (place.value === null) tx.clear(place.doc, place.path);
        else tx.set(place.doc, place.path, place.value);
      });
      return null;
    case 'write_table':
      await database.latest(place.table).put(place.key, place.value);
      return null;
  }
}

/**
 * The newest row of each key, in the order in which they were written, those that were cleared left out; of a table without keys
 * its newest records. What does not fit into one answer is the oldest.
 */
async function newestRows(database: Database, table: string): Promise<Json> {
  const keyed = await database.latest(table).all();
  const rows: JsonObject[] =
    keyed.length > 0
      ? keyed
          .filter(({ value }) => value !== null)
          .sort((left, right) => left.hlc - right.hlc)
          .map(({ key, value }) => ({ key, value }))
      : (await database.table(table).tail(agentStateLimits.maxRows)).rows
          .map(({ value }) => ({ value }))
          .reverse();
  return fitting(rows.slice(-agentStateLimits.maxRows));
}

function fitting(rows: readonly JsonObject[]): Json {
  const kept: JsonObject[] = [];
  let bytes = 0;
  for (const row of rows.toReversed()) {
    bytes += Buffer.byteLength(encodeJson(row));
    if (bytes > agentStateLimits.maxAnswerBytes) break;
    kept.push(row);
  }
  return kept.reverse();
}

function bounded(doc: Partial<JsonObject>, agent: string): Json {
  if (!isJsonObject(doc) || Buffer.byteLength(encodeJson(doc)) > agentStateLimits.maxAnswerBytes)
    throw hubError('agent_state_invalid', `a document of ${agent} is too large for one answer`);
  return doc;
}
