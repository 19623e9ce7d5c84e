import type { WorkerConfig } from '../agents/agent-config.ts';
import type { Agents } from '../agents/agents.ts';
import { hostError } from '../errors.ts';
import type { Models } from '../models/models.ts';
import type { AttachedAgent } from '../sessions/session-meta.ts';
import type { RunningTurn } from '../turn/running-turns.ts';
import type { SpawnRequest } from './spawn.ts';

/** Who is to do a task. */
export interface TaskTaker {
  readonly agent: AttachedAgent;
  /** The agent speaks as this worker of its own. */
  readonly worker?: WorkerConfig;
  /** `backend/model`; absent is what the session and the agent say. */
  readonly model?: string;
}

/**
 * Finds who takes a task. Rejects with `agent_unknown`, `agent_ambiguous`, `agent_not_home`, `worker_unknown` with the names that there are,
 * `model_unknown`.
 */
export async function taskTaker(
  { agents, models }: { readonly agents: Agents; readonly models: Models },
  by: RunningTurn,
  { kind, name, model }: SpawnRequest,
): Promise<TaskTaker> {
  const asked = model === undefined ? {} : { model: models.resolve(model).ref };
  if (kind === 'agent') {
    const agent = await agents.resolve(name);
    if (!agent.isHome) throw hostError('agent_not_home');
    return { agent: { id: agent.id, name: agent.name }, ...asked };
  }
  const { workers } = by.config;
  const worker = workers.find((each) => each.name === name);
  if (worker === undefined) {
    const names = workers.map((each) => each.name).join(', ');
    throw hostError('worker_unknown', names === '' ? 'it has none' : `it has ${names}`);
  }
  // A worker is its agent: where nobody says another model, the one that gives the task.
  return { agent: by.agent, worker, model: by.model, ...(worker.model && { model: worker.model }), ...asked };
}
