import type { AttachedAgent } from '../sessions/session-meta.ts';
import type { TurnOptions } from './turn-options.ts';

/** As whom a turn writes: a worker as its agent, under its own name. */
export function turnSpeaker({ agent, worker }: Pick<TurnOptions, 'agent' | 'worker'>): AttachedAgent {
  return worker === undefined ? agent : { id: agent.id, name: `worker:${worker.name}` };
}
