import type { HostedAgent, LiveSet } from '@fairlead/hub';
import type { CommandPorts } from './ports.ts';

/** The agent that answers in a session, where it is at home here. */
export async function hostAgentOf(
  { sessions, agents }: Pick<CommandPorts, 'sessions' | 'agents'>,
  session: string,
): Promise<HostedAgent | undefined> {
  const { host } = await sessions.meta(session);
  return host === undefined ? undefined : ((await agents.directory.resolve(host)) ?? undefined);
}

/** What is live for people in a session and the agent that answers there. Rejects with `session_not_open` for a closed one. Dispose it. */
export async function commandSet(ports: CommandPorts, session: string): Promise<LiveSet> {
  const { closed } = await ports.sessions.meta(session);
  if (!closed) await ports.host.openSession(session);
  const agent = await hostAgentOf(ports, session);
  return await ports.hub.liveSet({ session, ...(agent === undefined ? {} : { agent }) });
}
