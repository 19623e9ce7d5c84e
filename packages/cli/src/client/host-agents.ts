import { isJsonObject } from '@fairlead/base';
import type { AskHost } from './ask-host.ts';

/** Who answers where nobody is named, null where no agent is at home; and whether the host has a model to answer with. */
export async function hostAgents(
  ask: AskHost,
): Promise<{ readonly first: string | null; readonly hasModel: boolean }> {
  const status = await ask({ method: 'GET', path: '/api/admin/status' });
  const agents = isJsonObject(status) ? (status['agents'] ?? null) : null;
  const { agents: names, model } = isJsonObject(agents) ? agents : {};
  const [first] = Array.isArray(names) ? names : [];
  return { first: typeof first === 'string' ? first : null, hasModel: typeof model === 'string' };
}
