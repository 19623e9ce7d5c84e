import { FairleadError } from '@fairlead/base';
import { dispatchErrors, type Principal } from '@fairlead/dispatch';
import type { SessionPort } from './session-port.ts';

type Agents = readonly { readonly id: string }[];

/**
 * True where what these agents may use lies within the Runners of the token. An agent without a list may use every Runner; one that cannot be
 * read counts as such a one.
 */
export async function reaches(host: SessionPort, principal: Principal, agents: Agents): Promise<boolean> {
  const { runners } = principal;
  if (runners === undefined) return true;
  for (const { id } of agents) {
    const reading = await host.agents.config(id).catch(() => undefined);
    const used = reading?.config.runners;
    if (used === undefined || !used.every((runner) => runners.includes(runner))) return false;
  }
  return true;
}

/** Rejects with `session_unknown`, or with `token_limited` where the session's agents reach Runners that the token does not. */
export async function checkReach(host: SessionPort, principal: Principal, session: string): Promise<void> {
  if (principal.runners === undefined) return;
  const { meta } = await host.sessions.line(session);
  if (!(await reaches(host, principal, meta.agents))) throw tokenLimited();
}

/** Whether a session is within the reach of a token, now. Never rejects: what cannot be asked is not. */
export type Reach = () => Promise<boolean>;

/** For who goes on reading a session; undefined where the token is not limited. */
export function reachOf(host: SessionPort, principal: Principal, session: string): Reach | undefined {
  if (principal.runners === undefined) return undefined;
  return async () => {
    const line = await host.sessions.line(session).catch(() => undefined);
    return line !== undefined && (await reaches(host, principal, line.meta.agents));
  };
}

export function tokenLimited(): FairleadError {
  return new FairleadError('token_limited', dispatchErrors.token_limited.message);
}
