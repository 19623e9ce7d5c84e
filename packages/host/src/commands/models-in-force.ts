import { FairleadError } from '@fairlead/base';
import type { HostCall } from './host-command.ts';

/** Which model an agent of a session is asked for, and who says so. */
export type ModelInForce = {
  readonly id: string;
  readonly name: string;
  /** Null where there is no model at all. */
  readonly model: string | null;
  readonly from: 'agent in this session' | 'session' | 'agent' | 'host';
};

/** What is said for the agent in the session, then for the session, then of the agent, then of the host. */
export async function modelsInForce({ ports, meta }: HostCall): Promise<readonly ModelInForce[]> {
  const rows: ModelInForce[] = [];
  for (const { id, name } of meta.agents) {
    const own = await ports.agents.config(id).catch(elsewhere);
    const inSession = meta.models.get(id);
    const [model, from] =
      inSession !== undefined
        ? ([inSession, 'agent in this session'] as const)
        : meta.model !== undefined
          ? ([meta.model, 'session'] as const)
          : own?.config.model !== undefined
            ? ([own.config.model, 'agent'] as const)
            : ([ports.models.default ?? null, 'host'] as const);
    rows.push({ id, name, model, from });
  }
  return rows;
}

/** An agent of another peer has its database there. */
function elsewhere(error: unknown): undefined {
  if (error instanceof FairleadError && error.code === 'database_not_found') return undefined;
  throw error;
}
