import type { Ask } from '../carrier/ask.ts';
import { isJsonObject, type Json } from '../json/json.ts';

/** The state of one agent in the harness: documents, and rows by key. A write changes it. */
export interface FakeAgentState {
  readonly docs?: { [doc: string]: Json };
  readonly tables?: { [table: string]: { [key: string]: Json } };
}

type AgentAsk = Extract<Ask, { readonly op: `agent_state.${string}` }>;

/** Plays the agents that an operator lets the extension touch; a name that is not listed is out of reach. */
export class FakeAgents {
  readonly #states: ReadonlyMap<string, Required<FakeAgentState>>;

  constructor(agents: Readonly<Record<string, FakeAgentState>>) {
    this.#states = new Map(
      Object.entries(agents).map(([name, { docs = {}, tables = {} }]) => [name, { docs, tables }]),
    );
  }

  answer(ask: AgentAsk): Json {
    const state = this.#states.get(ask.agent);
    if (state === undefined) return null;
    if (ask.op === 'agent_state.resolve') return { id: ask.agent, name: ask.agent };
    const { doc, table, path, key, value } = ask.place;
    if (ask.op === 'agent_state.read') {
      if (typeof doc === 'string') return state.docs[doc] ?? {};
      return Object.entries(state.tables[String(table)] ?? {}).map(([row, held]) => ({
        key: row,
        value: held,
      }));
    }
    if (typeof doc === 'string' && Array.isArray(path)) setPath(state.docs, [doc, ...path], value ?? null);
    else if (typeof table === 'string') setPath(state.tables, [table, String(key)], value ?? null);
    return null;
  }
}

function setPath(root: object, path: readonly Json[], value: Json): void {
  let place = root;
  for (const step of path.slice(0, -1)) {
    const next: unknown = Reflect.get(place, String(step));
    const held = isJsonObject(next) ? { ...next } : {};
    Reflect.set(place, String(step), held);
    place = held;
  }
  const last = String(path.at(-1));
  if (value === null) Reflect.deleteProperty(place, last);
  else Reflect.set(place, last, value);
}
