import type { AgentConfig, WorkerConfig } from '../agents/agent-config.ts';
import { visibleName } from '../leaks/visible-text.ts';
import type { AttachedAgent, SessionMeta } from '../sessions/session-meta.ts';

/** The words of an agent: its prompt files, then its prompt; those of a worker in place of the prompt where it has its own. */
export function systemText(
  config: Pick<AgentConfig, 'promptFiles' | 'systemPrompt'>,
  worker?: Pick<WorkerConfig, 'systemPrompt'>,
): string {
  const files = config.promptFiles.map(({ text }) => text);
  const parts = [...files, worker?.systemPrompt ?? config.systemPrompt];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Who else takes part and how to speak to them; empty for an agent that is alone. */
export function roomNote({ agents }: Pick<SessionMeta, 'agents'>, agent: AttachedAgent): string {
  const others = agents.filter(({ id }) => id !== agent.id).map(({ name }) => `@${visibleName(name)}`);
  if (others.length === 0) return '';
  return [
    `You are @${visibleName(agent.name)} in a room with other agents: ${others.join(', ')}.`,
    'What they say begins with their name. To have one of them answer, write its name with the @ in your last words of the turn; without one, nobody of them does.',
  ].join(' ');
}
