import { isIP } from 'node:net';
import { allowsEndpoint } from '../grants/endpoint.ts';
import type { NetworkGrant } from '../grants/grants.ts';
import { type AddressKind, addressKind } from './address-kind.ts';

/** Where a request would go. */
export interface Target {
  readonly url: URL;
  /** Lower case, without brackets and without a dot at its end: an IP address in its ordinary notation, or a name. */
  readonly host: string;
}

export type UrlVerdict =
  | { readonly ok: true; readonly target: Target }
  | {
      readonly ok: false;
      readonly code: 'network_request_invalid' | 'grant_denied' | 'network_address_refused';
      readonly reason: string;
    };

/** Names that lead to a machine itself or into its own network, whatever they resolve to. */
const PRIVATE_NAMES =
  /^(?:localhost|ip6-localhost|ip6-loopback|localdomain)$|\.(?:localhost|internal|local|localdomain|home\.arpa)$/;

/** Names under which clouds hand out the credentials of a machine. */
const METADATA_NAMES =
  /^(?:metadata|instance-data)(?:\.(?:google\.internal|goog|internal|ec2\.internal|azure\.internal|local))?$/;

/**
 * Judges an address before it is resolved: its form, what is granted, and a host that needs no resolving. A URL brings every notation of
 * an IPv4 address (one number, octal, hexadecimal, short, in other digits) into the ordinary one.
 */
export function judgeUrl(text: string, method: string, grant: NetworkGrant | undefined): UrlVerdict {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return refused('network_request_invalid', 'no address');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return refused('network_request_invalid', 'neither http nor https');
  if (url.username !== '' || url.password !== '')
    return refused('network_request_invalid', 'a user name in the address');
  const host = plainHost(url.hostname);
  if (host === '') return refused('network_request_invalid', 'no host');
  const named = url.hostname.replace(/\.$/, '');
  if (!allowsEndpoint(grant, { host: named, path: url.pathname, method }))
    return refused('grant_denied', 'network');
  const kind = isIP(host) === 0 ? nameKind(host) : addressKind(host);
  const reason = refusalOf(kind, grant);
  return reason === null ? { ok: true, target: { url, host } } : refused('network_address_refused', reason);
}

/** Why an address of this kind may not be reached under the grant, or null. */
export function refusalOf(kind: AddressKind, grant: NetworkGrant | undefined): string | null {
  if (kind === 'public' || (kind === 'private' && grant?.allowPrivate !== false)) return null;
  return kind === 'private' ? 'a private network' : 'a reserved address';
}

function nameKind(name: string): AddressKind {
  if (METADATA_NAMES.test(name)) return 'never';
  return PRIVATE_NAMES.test(name) ? 'private' : 'public';
}

function plainHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');
}

function refused(code: Extract<UrlVerdict, { ok: false }>['code'], reason: string): UrlVerdict {
  return { ok: false, code, reason };
}
