import { isIP } from 'node:net';

/**
 * A host as it is compared: lower case, without the brackets of an IPv6 address, without a final dot, an IPv6 address in its shortest form.
 * Null for what is neither a name nor an address.
 */
export function normalHost(text: string): string | null {
  let host = text.trim().toLowerCase();
  if (host.startsWith('[') && host.endsWith(']')) host = host.slice(1, -1);
  if (isIP(host) === 6) return shortIpv6(host);
  if (host.endsWith('.')) host = host.slice(0, -1);
  return /^[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_])?$/.test(host) ? host : null;
}

/** The host of an authority such as `localhost:7420` or `[::1]:7420`; null when it is not one. */
export function hostOfAuthority(authority: string): string | null {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:[\]@/\\?#\s]+)(?::\d{1,5})?$/.exec(authority);
  return match?.[1] === undefined ? null : normalHost(match[1]);
}

/** True for the names by which a machine calls itself. */
export function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === '::1';
}

/** True for an address, or `localhost`, that no other machine can reach. */
export function isLoopback(host: string): boolean {
  return isLoopbackName(host) || (isIP(host) === 4 && host.startsWith('127.'));
}

/** True for the addresses that stand for every interface. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** A host as it stands in a URL. */
export function urlHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** An address of a socket as it is compared: an IPv4 address that an IPv6 socket carries becomes plain IPv4. */
export function socketAddress(address: string | undefined): string {
  const plain = (address ?? '').replace(/%.*$/, '').toLowerCase();
  return plain.startsWith('::ffff:') && isIP(plain.slice(7)) === 4 ? plain.slice(7) : plain;
}

function shortIpv6(address: string): string | null {
  const zone = address.indexOf('%');
  // A zone names an interface of this machine only; URL and comparison do without.
  const hostname = URL.parse(`http://[${zone < 0 ? address : address.slice(0, zone)}]`)?.hostname;
  return hostname === undefined ? null : hostname.slice(1, -1);
}
