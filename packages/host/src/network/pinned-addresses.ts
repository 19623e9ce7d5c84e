import { isIP } from 'node:net';
import type { NetworkGrant } from '../grants/grants.ts';
import { networkLimits } from '../limits.ts';
import { addressKind } from './address-kind.ts';
import { refusalOf } from './judge-url.ts';

/** Every address of a name, as the machine resolves it; rejects where there is none. */
export type Resolver = (host: string) => Promise<readonly string[]>;

/** The resolver of this machine, its hosts file included. */
export const machineResolver: Resolver = async (host) => {
  const { lookup } = await import('node:dns/promises');
  return (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);
};

export type PinnedAddresses =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | {
      readonly ok: false;
      readonly code: 'network_name_unresolved' | 'network_address_refused';
      readonly reason: string;
    };

/**
 * Resolves a host once and judges every address that comes. One that may not be reached refuses them all: a name with a public and a private
 * address is a trap or a mistake. The connection is made to these addresses and the name is not asked for again.
 */
export async function pinAddresses(
  host: string,
  grant: NetworkGrant | undefined,
  resolve: Resolver,
): Promise<PinnedAddresses> {
  const addresses = isIP(host) === 0 ? await resolved(host, resolve) : [host];
  if (addresses.length === 0) return { ok: false, code: 'network_name_unresolved', reason: 'no address' };
  for (const address of addresses) {
    const reason = refusalOf(addressKind(address), grant);
    if (reason !== null) return { ok: false, code: 'network_address_refused', reason };
  }
  return { ok: true, addresses: addresses.slice(0, networkLimits.addresses) };
}

async function resolved(host: string, resolve: Resolver): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch {
    return [];
  }
}
