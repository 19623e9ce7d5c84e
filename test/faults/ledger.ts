import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** One execution as the ledger plugin wrote it down. */
export type Execution = { readonly name: string; readonly answer: string };

/** An execution with the file that stands for it. */
export type LedgerEntry = Execution & { readonly file: string };

/** Everything that the ledger plugin did in one folder, by the name of the call. */
export function readLedger(folder: string): ReadonlyMap<string, readonly LedgerEntry[]> {
  const executions = new Map<string, LedgerEntry[]>();
  if (!existsSync(folder)) return executions;
  for (const file of readdirSync(folder)) {
    if (file.startsWith('.')) continue;
    const { name, answer } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Execution;
    executions.set(name, [...(executions.get(name) ?? []), { name, answer, file }]);
  }
  return executions;
}

/** Takes out what has been judged, and nothing that came meanwhile: whatever is found afterwards is more than was judged. */
export function clearLedger(folder: string, judged: readonly LedgerEntry[]): void {
  for (const { file } of judged) rmSync(join(folder, file));
}
