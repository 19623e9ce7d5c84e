import type { Agents } from '../agents/agents.ts';
import type { ScheduleTable } from './read-schedules.ts';
import { SCHEDULES_TABLE } from './routine-rows.ts';

/**
 * Writes the schedules of the file that their agents never had: once, because from then on the database is the truth, and one that was
 * taken away stays away. Resolves with the names of agents that are not here.
 */
export async function seedSchedules(
  agents: Agents,
  tables: readonly ScheduleTable[],
): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (const { agent: name, id, row } of tables) {
    const agent = await agents.directory.resolve(name);
    if (agent === null) {
      unknown.push(name);
      continue;
    }
    const schedules = (await agents.open(agent.id)).latest(SCHEDULES_TABLE);
    if ((await schedules.get(id)) === undefined) await schedules.put(id, row);
  }
  return unknown;
}
