import type { PreparedHost } from '@fairlead/host';
import type { HostTables } from './agent-tables.ts';

/** The names of the agents that are at home here: those of the file in its order, then the others. The first answers where nobody is named. */
export async function agentNames(
  { agents }: Pick<PreparedHost, 'agents'>,
  tables: HostTables,
): Promise<readonly string[]> {
  const here = (await agents.list()).filter(({ isHome }) => isHome).map(({ name }) => name);
  const listed = tables.agents.agents.map(({ name }) => name);
  return [...listed.filter((name) => here.includes(name)), ...here.filter((name) => !listed.includes(name))];
}
