import type { Json } from '@fairlead/base';
import type { StderrRing } from '@fairlead/process';
import type { LinkClient } from '../link/link-client.ts';
import type { ProviderSet } from '../providers/provider-set.ts';
import type { LocalHandler } from './local-socket.ts';

/** What the local socket of one Runner answers: `status`, and `stderr` of one plugin. */
export function localHandler(
  runnerId: string,
  providers: Pick<ProviderSet, 'rows' | 'stderrOf'>,
  link: Pick<LinkClient, 'connected'>,
): LocalHandler {
  return (request) => {
    switch (request['op']) {
      case 'status':
        return {
          runner: runnerId,
          registered: link.connected,
          providers: providers.rows().map((row) => ({ ...row })),
        };
      case 'stderr':
        return stderrAnswer(providers, request['plugin']);
      default:
        return { code: 'unknown_request' };
    }
  };
}

function stderrAnswer(providers: Pick<ProviderSet, 'stderrOf'>, plugin: Json | undefined): Json {
  const rings = typeof plugin === 'string' ? providers.stderrOf(plugin) : null;
  if (rings === null) return { code: 'plugin_not_configured' };
  return { committed: linesOf(rings.committed), candidate: linesOf(rings.candidate) };
}

function linesOf(ring: StderrRing | null): Json {
  return ring === null ? null : ring.lines().map(({ text, truncated }) => ({ text, truncated }));
}
