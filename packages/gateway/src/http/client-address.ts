import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { socketAddress } from './host-name.ts';

/** The address that a log line names: the socket's, or, behind a trusted proxy, the nearest that no trusted proxy has. */
export type ClientAddress = (request: IncomingMessage) => string;

/** `trustedProxies`: addresses and ranges whose `X-Forwarded-For` is believed. Used for log lines and to count wrong codes of one client, never to let somebody in. */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return (request) => socketAddress(request.socket.remoteAddress);
  const trusted = new BlockList();
  for (const range of trustedProxies) {
    const [address = '', prefix] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return (request) => {
    let nearest = socketAddress(request.socket.remoteAddress);
    const forwarded = request.headers['x-forwarded-for'];
    const chain = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').reverse();
    for (const hop of chain) {
      const address = socketAddress(hop.trim());
      if (!isTrusted(nearest) || isIP(address) === 0) break;
      nearest = address;
    }
    return nearest;
  };
}
