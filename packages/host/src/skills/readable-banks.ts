import type { Agents } from '../agents/agents.ts';
import type { AgentBank, Banks } from '../banks/banks.ts';
import { skillLimits } from '../limits.ts';

/** Banks that an agent reads its skills from, as grants stand now. */
export interface ReadableBanks {
  /** By name: those that its own database or its configuration points to. */
  readonly granted: readonly AgentBank[];
  /** Those of the session that are not among them, in the session's order. */
  readonly attached: readonly AgentBank[];
}

/**
 * The bank's own grant is what counts, and this peer's role in it: pointing to a bank, or attaching it to a session, only chooses among what
 * was granted. Nobody speaks: there is none.
 */
export async function readableBanks(
  { agents, banks }: { readonly agents: Agents; readonly banks: Banks },
  { agent, attached }: { readonly agent?: string; readonly attached: readonly string[] },
): Promise<ReadableBanks> {
  const none = { granted: [], attached: [] };
  if (agent === undefined || (await agents.find(agent)) === undefined) return none;
  const readable = (await banks.ofAgent(agent)).filter(({ right }) => right !== undefined);
  if (readable.length === 0) return none;
  const pointers = await (await agents.open(agent)).doc('skill_banks').get();
  const named = new Set((await agents.config(agent)).config.skillBanks.map((name) => name.toLowerCase()));
  const isPointedTo = ({ id, name }: AgentBank) =>
    Object.hasOwn(pointers, id) || named.has(id.toLowerCase()) || named.has(name.toLowerCase());
  const granted = readable.filter(isPointedTo).slice(0, skillLimits.banks);
  const others = readable.filter((bank) => !granted.includes(bank));
  const ofSession = [...new Set(attached)].flatMap((id) => others.find((bank) => bank.id === id) ?? []);
  return { granted, attached: ofSession.slice(0, skillLimits.banks) };
}
