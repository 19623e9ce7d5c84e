import type { Clock, Outcome } from '@fairlead/base';
import type { NetworkGrant } from '../grants/grants.ts';
import type { GuardedAnswer, GuardedRequest } from './guarded-request.ts';
import { machineResolver, type Resolver } from './pinned-addresses.ts';
import type { SearchTable, SearchType, WebSettings } from './read-web.ts';

/** A search engine with its key, where it has one. */
interface KeyedEngine extends Omit<SearchTable, 'apiKeyEnv'> {
  readonly type: SearchType;
  readonly key?: string;
}

/** A request as a built-in makes it: its grant is its call's. */
type CallRequest = Omit<GuardedRequest, 'grant'>;

/** What the built-in about the web may do. */
export interface PeerWeb<Caller> {
  /** Rejects where the call is over; `guardedRequest` otherwise. */
  request(caller: Caller, request: CallRequest): Promise<Outcome<GuardedAnswer>>;
  readonly search: readonly KeyedEngine[];
}

/** Requests under the grants of the call that asks, and the engines of the file with their keys. */
export function peerWeb<Caller>(options: {
  readonly settings: WebSettings | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Rejects where the call is over. */
  readonly grant: (caller: Caller) => Promise<NetworkGrant | undefined>;
  /** Default: the machine's. */
  readonly resolve?: Resolver;
}): PeerWeb<Caller> {
  const { settings, env, clock, grant, resolve = machineResolver } = options;
  return {
    request: async (caller, request) => {
      // Node's HTTP client comes with the first request: most turns make none.
      const { guardedRequest } = await import('./guarded-request.ts');
      return await guardedRequest({ ...request, grant: await grant(caller) }, { clock, resolve });
    },
    search: (settings?.search ?? []).map(({ apiKeyEnv, ...engine }) => {
      const key = apiKeyEnv === undefined ? '' : (env[apiKeyEnv]?.trim() ?? '');
      return key === '' ? engine : { ...engine, key };
    }),
  };
}
