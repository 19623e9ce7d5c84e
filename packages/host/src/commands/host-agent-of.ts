import type { HostedAgent } from '@fairlead/hub';
import type { CommandPorts } from './ports.ts';

/** The agent that answers in a session, where it is at home here. */
export async function hostAgentOf(
  { sessions, agents }: Pick<CommandPorts, 'sessions' | 'agents'>,
  session: string,
): Promise<HostedAgent | undefined> {
  const { host } = await sessions.meta(session);
  return host === undefined ? undefined : ((await agents.directory.resolve(host)) ?? undefined);
}
