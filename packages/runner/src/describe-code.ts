import type { ErrorTable } from '@fairlead/base';
import { processErrors } from '@fairlead/process';
import { protocolErrors } from '@fairlead/protocol';
import { runnerErrors } from './errors.ts';

const TABLES: readonly ErrorTable[] = [protocolErrors, processErrors, runnerErrors];

/** The text of a code: Fairlead's own words, never a plugin's or an exception's. */
export function describeCode(code: string): string {
  for (const table of TABLES) {
    const entry = Object.hasOwn(table, code) ? table[code] : undefined;
    if (entry !== undefined) return entry.message;
  }
  return code;
}
