import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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

/** Takes out what has been judged. What is found of these names afterwards has come later. */
export function clearLedger(folder: string, names: readonly string[]): void {
  for (const file of readdirSync(folder)) {
    const [name = ''] = file.split('+');
    if (names.includes(name)) rmSync(join(folder, file));
  }
}
