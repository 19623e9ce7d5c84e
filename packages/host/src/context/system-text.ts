import type { AgentConfig, WorkerConfig } from '../agents/agent-config.ts';
import type { AttachedAgent, SessionMeta } from '../sessions/session-meta.ts';

/** The words of an agent: its prompt files, then its prompt; those of a worker in place of the prompt where it has its own. */
export declare function systemText(
  config: Pick<AgentConfig, 'promptFiles' | 'systemPrompt'>,
  worker?: WorkerConfig,
): string;

/** Who else takes part and how to speak to them; empty for an agent that is alone. */
export declare function roomNote(meta: Pick<SessionMeta, 'agents'>, agent: AttachedAgent): string;
