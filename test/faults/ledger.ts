import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One execution as the ledger plugin wrote it down. */
export type Execution = { readonly name: string; readonly answer: string };

/** Everything that the ledger plugin did in one folder, by the name of the call. */
export function readLedger(folder: string): ReadonlyMap<string, readonly Execution[]> {
  const executions = new Map<string, Execution[]>();
  if (!existsSync(folder)) return executions;
  for (const file of readdirSync(folder)) {
    if (file.startsWith('.')) continue;
    const execution = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Execution;
    executions.set(execution.name, [...(executions.get(execution.name) ?? []), execution]);
  }
  return executions;
}
