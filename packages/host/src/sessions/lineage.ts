import { FairleadError } from '@fairlead/base';
import { sessionBounds } from '../limits.ts';
import type { SessionMode } from '../policy/decide.ts';
import type { SessionMeta } from './session-meta.ts';
import type { Sessions } from './sessions.ts';

/** A session and those that it was made in, as they are now: the session first. */
export interface Lineage {
  readonly metas: readonly [SessionMeta, ...SessionMeta[]];
  /** False where one of them is not here, or they lead round: nobody knows what holds there. */
  readonly isWhole: boolean;
}

/** Where a session comes from: what holds above it holds in it. Rejects with `session_unknown` for the session itself. */
export async function lineageOf(sessions: Pick<Sessions, 'meta'>, session: string): Promise<Lineage> {
  const own = await sessions.meta(session);
  const metas: [SessionMeta, ...SessionMeta[]] = [own];
  let above = own.parent?.session;
  while (above !== undefined) {
    if (metas.length > sessionBounds.above) return { metas, isWhole: false };
    const meta = await sessions.meta(above).catch(absent);
    if (meta === undefined) return { metas, isWhole: false };
    metas.push(meta);
    above = meta.parent?.session;
  }
  return { metas, isWhole: true };
}

/** The strictest mode of a session and of those above it. */
export async function modeInForce(sessions: Pick<Sessions, 'meta'>, session: string): Promise<SessionMode> {
  return strictestMode(await lineageOf(sessions, session));
}

/** Of all of them; `inspect` where not all of it is known. */
export function strictestMode({ metas, isWhole }: Lineage): SessionMode {
  const modes = new Set(metas.map(({ mode }) => mode));
  if (!isWhole || modes.has('inspect')) return 'inspect';
  return modes.has('read_only') ? 'read_only' : 'normal';
}

function absent(error: unknown): undefined {
  if (error instanceof FairleadError && error.code === 'session_unknown') return undefined;
  throw error;
}
