import type { ErrorEntry } from '@fairlead/base';
import { cliErrors } from './errors.ts';

type Table = Readonly<Record<string, ErrorEntry>>;

/** The other packages' tables, each read when a code is not in the ones before: most failures never load a gateway. */
const otherTables: readonly (() => Promise<Table>)[] = [
  async () => (await import('@fairlead/protocol')).protocolErrors,
  async () => (await import('@fairlead/store')).storeErrors,
  async () => (await import('@fairlead/dispatch')).dispatchErrors,
  async () => (await import('@fairlead/process')).processErrors,
  async () => (await import('@fairlead/runner')).runnerErrors,
  async () => (await import('@fairlead/gateway')).gatewayErrors,
  async () => (await import('@fairlead/hub')).hubErrors,
  async () => (await import('@fairlead/host')).hostErrors,
  async () => (await import('@fairlead/builtins')).builtinErrors,
  async () => (await import('@fairlead/mcp')).mcpErrors,
  async () => (await import('@fairlead/extension/runtime')).extensionErrors,
];

/** What to do about a code, or null for one that no table has (a provider's or a newer server's). */
export async function nextStepOf(code: string): Promise<string | null> {
  if (Object.hasOwn(cliErrors, code)) return cliErrors[code as keyof typeof cliErrors].next;
  for (const read of otherTables) {
    const table = await read();
    if (Object.hasOwn(table, code)) return table[code]?.next ?? null;
  }
  return null;
}
