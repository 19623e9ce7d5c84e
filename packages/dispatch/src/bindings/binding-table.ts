import { isJsonObject, type JsonObject } from '@fairlead/base';
import type { Statement, Store } from '@fairlead/store';
import { BINDINGS_MAX } from '../limits.ts';
import { type Observed, observed } from './observed.ts';

type StoredBinding = {
  readonly binding: string;
  readonly runner: string;
  readonly runner_instance: string;
  readonly plugin: string;
  readonly provider_instance: string;
  readonly tool: string;
  readonly observation: string;
  readonly timeout_secs: number;
};

const COLUMNS =
  'binding, runner, runner_instance, plugin, provider_instance, tool, observation, timeout_secs';

/** The newest bindings of the table, oldest first; what is older than those is removed. */
export async function loadBindings(store: Store): Promise<[string, Observed][]> {
  const rows = await store.read<StoredBinding & { readonly seq: number }>(
    `SELECT seq, ${COLUMNS} FROM bindings ORDER BY seq DESC LIMIT ?`,
    [BINDINGS_MAX + 1],
  );
  const [excess] = rows.splice(BINDINGS_MAX);
  if (excess !== undefined) {
    const parameters = [excess.seq];
    await store.write([{ sql: 'DELETE FROM bindings WHERE seq <= ?', parameters }], 'normal');
  }
  return rows.reverse().map((row) => [row.binding, observedIn(row)]);
}

function observedIn(row: StoredBinding): Observed {
  const { runner, plugin, tool, observation } = row;
  return observed({
    runner,
    runnerInstance: row.runner_instance,
    plugin,
    providerInstance: row.provider_instance,
    tool,
    observation,
    timeoutSecs: row.timeout_secs,
  });
}

export function insertBinding(
  binding: string,
  bound: Observed,
  inputSchema: JsonObject,
  atMs: number,
): Statement {
  const { runner, runnerInstance, plugin, providerInstance, tool, observation, timeoutSecs } = bound;
  return {
    sql: `INSERT INTO bindings (${COLUMNS}, input_schema, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    parameters: [
      binding,
      runner,
      runnerInstance,
      plugin,
      providerInstance,
      tool,
      observation,
      timeoutSecs,
      JSON.stringify(inputSchema),
      atMs,
    ],
  };
}

export function deleteBinding(binding: string): Statement {
  return { sql: 'DELETE FROM bindings WHERE binding = ?', parameters: [binding] };
}

/** Removes a binding and every one that was made before it. */
export function deleteBindingsThrough(binding: string): Statement {
  return {
    sql: 'DELETE FROM bindings WHERE seq <= (SELECT seq FROM bindings WHERE binding = ?)',
    parameters: [binding],
  };
}

/** The input schema of the tool that a binding stands for, null where the table has none. */
export async function readInputSchema(store: Store, binding: string): Promise<JsonObject | null> {
  const [row] = await store.read<{ readonly input_schema: string | null }>(
    'SELECT input_schema FROM bindings WHERE binding = ?',
    [binding],
  );
  const schema = JSON.parse(row?.input_schema ?? 'null');
  return isJsonObject(schema) ? schema : null;
}
