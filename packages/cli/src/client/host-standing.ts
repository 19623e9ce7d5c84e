import { isJsonObject } from '@fairlead/base';
import type { AskHost } from './ask-host.ts';

/** What decides whether anything can be said to a host now. */
export type HostStanding = {
  /** Who answers where nobody is named; null where no agent is at home. */
  readonly first: string | null;
  /** Whether there is a model to answer with. */
  readonly hasModel: boolean;
  readonly isPaused: boolean;
};

/** Asks a host how it stands. */
export async function hostStanding(ask: AskHost): Promise<HostStanding> {
  const status = await ask({ method: 'GET', path: '/api/admin/status' });
  const agents = isJsonObject(status) ? (status['agents'] ?? null) : null;
  const { agents: names, model, pausedAtMs } = isJsonObject(agents) ? agents : {};
  const [first] = Array.isArray(names) ? names : [];
  return {
    first: typeof first === 'string' ? first : null,
    hasModel: typeof model === 'string',
    isPaused: typeof pausedAtMs === 'number',
  };
}
