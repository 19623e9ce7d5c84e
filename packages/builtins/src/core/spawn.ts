import { ToolFault, type ToolOutput } from '@fairlead/extension';
import type { SpawnEnd } from '../builtin-peer.ts';

/** How a child ended, as a tool says it: what became of it is `completed`, however it ended. */
export function spawnOutput({ certainty, session, code, text }: SpawnEnd): ToolOutput {
  const detail = session === undefined ? {} : { session };
  if (certainty !== 'completed')
    throw new ToolFault(certainty, text, { detail, ...(code === undefined ? {} : { code }) });
  if (code === undefined) return { text, data: detail };
  return { text: `${code}: ${text}`, data: detail, isError: true };
}
