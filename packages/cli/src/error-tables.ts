import type { ErrorEntry } from '@fairlead/base';
import { dispatchErrors } from '@fairlead/dispatch';
import { gatewayErrors } from '@fairlead/gateway';
import { processErrors } from '@fairlead/process';
import { protocolErrors } from '@fairlead/protocol';
import { runnerErrors } from '@fairlead/runner';
import { storeErrors } from '@fairlead/store';
import { cliErrors } from './errors.ts';

/** Every package's table of codes, for whoever has to explain one. */
const tables: readonly Readonly<Record<string, ErrorEntry>>[] = [
  cliErrors,
  dispatchErrors,
  gatewayErrors,
  processErrors,
  protocolErrors,
  runnerErrors,
  storeErrors,
];

/** What to do about a code, or null for one that no table has (a provider's or a newer server's). */
export function nextStepOf(code: string): string | null {
  for (const table of tables) {
    if (Object.hasOwn(table, code)) return table[code]?.next ?? null;
  }
  return null;
}
