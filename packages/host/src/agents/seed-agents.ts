import { basename } from 'node:path';
import { type Clock, canonicalJson, type Json, type JsonObject, sha256Base64url } from '@fairlead/base';
import { activate, deactivate } from '@fairlead/hub';
import type { Peer, Store } from '@fairlead/store';
import { agentLimits } from '../limits.ts';
import type { PromptFile } from './agent-config.ts';
import { agentFields } from './agent-fields.ts';
import type { Agents } from './agents.ts';
import type { AgentTable, AgentTables } from './read-agents.ts';

/** The agent that there is where the file names none, and a back end could answer. */
const DEFAULT_AGENT: AgentTable = { name: 'fairlead', fields: {}, promptFiles: [], extensionsOff: undefined };

export interface SeedOptions {
  readonly agents: Agents;
  readonly peer: Peer;
  readonly store: Store;
  readonly clock: Clock;
  readonly tables: AgentTables;
  /** There is a back end: without one, and without a table, there is no agent. */
  readonly hasBackend: boolean;
  /** A file of a prompt as text, its path as it stands in the file. What rejects leaves the field as it is. */
  readonly readPromptFile: (path: string) => Promise<string>;
}

/** What seeding did. */
export interface Seeded {
  readonly agent: string;
  readonly name: string;
  readonly created: boolean;
  /** Fields whose value in the file is another than the one applied last. */
  readonly written: readonly string[];
  /** Prompt files that could not be read; what was read of them before stands. */
  readonly unread: readonly string[];
}

const SEEDED = "SELECT agent, value FROM agent_seed WHERE field = 'name' ORDER BY agent LIMIT 10000";
const APPLIED = 'SELECT field, value FROM agent_seed WHERE agent = ? LIMIT 1000';
const APPLY =
  'INSERT INTO agent_seed (agent, field, value) VALUES (?, ?, ?) ON CONFLICT (agent, field) DO UPDATE SET value = excluded.value';
const FORGET = 'DELETE FROM agent_seed WHERE agent = ?';
const FIELDS = [...Object.keys(agentFields), 'system_prompt_files'];

/**
 * Brings what `fairlead.toml` says into the agents' databases, field by field: only what differs from the value that was written last, so
 * that an edit made since stands until the file itself changes. A field that was taken out of the file goes back to its default. Running it
 * again does nothing.
 */
export async function seedAgents(options: SeedOptions): Promise<readonly Seeded[]> {
  const { tables, hasBackend } = options;
  const wanted = tables.agents.length === 0 && hasBackend ? [DEFAULT_AGENT] : tables.agents;
  const seeded: Seeded[] = [];
  for (const table of wanted) seeded.push(await seedAgent(options, table));
  return seeded;
}

async function seedAgent(options: SeedOptions, table: AgentTable): Promise<Seeded> {
  const { store, peer, agents } = options;
  const { id, created } = await agentOf(options, table.name);
  // Somebody else's to change, since it moved there.
  if (!(await agents.isHome(id))) return { agent: id, name: table.name, created, written: [], unread: [] };
  const database = await agents.open(id);
  const rows = await store.read<{ field: string; value: string | null }>(APPLIED, [id]);
  const applied = new Map(rows.map(({ field, value }) => [field, value]));
  const { files, unread } = await promptFilesOf(options, table);
  const values: JsonObject =
    files === undefined ? table.fields : { ...table.fields, system_prompt_files: files };
  const changed = FIELDS.filter((field) => {
    if (field === 'system_prompt_files' && unread.length > 0) return false;
    return (applied.get(field) ?? null) !== textOf(values[field]);
  });
  await peer.transaction((tx) => {
    if (!applied.has('name')) tx.write(APPLY, [id, 'name', JSON.stringify(table.name)]);
    for (const field of changed) {
      const value = values[field];
      if (value === undefined) tx.on(database).clear('config', [field]);
      else tx.on(database).set('config', [field], value);
      tx.write(APPLY, [id, field, textOf(value)]);
    }
  });
  const off = await seedOptOuts(options, { id, table, applied: applied.get('extensions_off') ?? null });
  return { agent: id, name: table.name, created, written: [...changed, ...off], unread };
}

/** The agent that a table was written to before; else one of its name that is at home here; else a new one. */
async function agentOf(
  { agents, store }: SeedOptions,
  name: string,
): Promise<{ id: string; created: boolean }> {
  for (const { agent, value } of await store.read<{ agent: string; value: string }>(SEEDED)) {
    if (value !== JSON.stringify(name)) continue;
    if ((await agents.find(agent)) !== undefined) return { id: agent, created: false };
    await store.write([{ sql: FORGET, parameters: [agent] }]);
  }
  const known = await agents.directory.resolve(name);
  if (known !== null) return { id: known.id, created: false };
  return { id: (await agents.create(name)).id, created: true };
}

async function promptFilesOf(
  { readPromptFile }: SeedOptions,
  { promptFiles }: AgentTable,
): Promise<{ readonly files: readonly JsonObject[] | undefined; readonly unread: readonly string[] }> {
  if (promptFiles.length === 0) return { files: undefined, unread: [] };
  const files: PromptFile[] = [];
  const unread: string[] = [];
  for (const path of promptFiles) {
    try {
      const text = await readPromptFile(path);
      if (Buffer.byteLength(text) > agentLimits.promptBytes) unread.push(path);
      else files.push({ name: basename(path), text, digest: sha256Base64url(text) });
    } catch {
      unread.push(path);
    }
  }
  return { files: files as unknown as readonly JsonObject[], unread };
}

/** Switches in the agent's own log; the row that says so last, so that a seeding that was cut short is done again. */
async function seedOptOuts(
  { agents, store, clock }: SeedOptions,
  {
    id,
    table,
    applied,
  }: { readonly id: string; readonly table: AgentTable; readonly applied: string | null },
): Promise<readonly string[]> {
  const now = table.extensionsOff === undefined ? null : canonicalJson([...table.extensionsOff].sort());
  if (now === applied) return [];
  const database = await agents.open(id);
  const before = namesIn(applied);
  const after = new Set(table.extensionsOff ?? []);
  for (const name of after) if (!before.has(name)) await deactivate(database, name, clock);
  // An agent's log only takes away: which version it once named says nothing.
  for (const name of before)
    if (!after.has(name))
      await activate(database, { name, ref: { kind: 'builtin', name, version: '0' } }, clock);
  await store.write([{ sql: APPLY, parameters: [id, 'extensions_off', now] }]);
  return ['extensions_off'];
}

function namesIn(applied: string | null): ReadonlySet<string> {
  const list = applied === null ? [] : (JSON.parse(applied) as Json);
  return new Set(Array.isArray(list) ? list.filter((name: Json) => typeof name === 'string') : []);
}

function textOf(value: Json | undefined): string | null {
  return value === undefined ? null : canonicalJson(value);
}
