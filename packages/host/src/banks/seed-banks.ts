import type { Agents } from '../agents/agents.ts';
import type { AgentTables } from '../agents/read-agents.ts';
import { isBankName } from './bank-right.ts';
import type { Banks } from './banks.ts';

/**
 * Banks that `fairlead.toml` gives to agents (`memory_banks`, `skill_banks`): made where there is none of the name, and granted for writing where
 * nobody has said anything about that agent yet, so that what a person granted or revoked since stands. Answers the names that are none.
 */
export async function seedBanks(
  banks: Banks,
  agents: Agents,
  { tables, field }: { readonly tables: AgentTables; readonly field: 'memory_banks' | 'skill_banks' },
): Promise<readonly string[]> {
  const refused: string[] = [];
  for (const { name: agentName, fields } of tables.agents) {
    const names = fields[field];
    const agent = await agents.directory.resolve(agentName);
    if (agent === null || !Array.isArray(names)) continue;
    for (const name of names) {
      if (!isBankName(name)) {
        refused.push(String(name));
        continue;
      }
      const bank =
        (await banks.list()).find((one) => one.name.toLowerCase() === name.toLowerCase()) ??
        (await banks.create(name));
      const known = (await banks.ofAgent(agent.id)).some(({ id }) => id === bank.id);
      if (!known && bank.role !== null && bank.role !== 'read' && bank.role !== 'append')
        await banks.grant(bank.id, agent.id, 'write');
    }
  }
  return refused;
}
