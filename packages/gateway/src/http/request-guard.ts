import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { GatewayErrorCode } from '../errors.ts';
import { hostOfAuthority, isLoopbackName, isWildcard, socketAddress } from './host-name.ts';
import { isOwnMachine } from './own-machine.ts';

/** What a gateway answers to: the address it is bound to and the origin by which clients reach a proxy in front. */
export type GuardOptions = { readonly bind: string; readonly publicUrl: string | null };

/** Why a request is refused before anything else is looked at, or null. */
export type Guard = (request: IncomingMessage) => GatewayErrorCode | null;

/**
 * Checks Host and Origin of every request and upgrade. Host: a page of another site that has its name resolve to this
 * machine still sends its own name. Origin: a page that calls across origins says where it comes from. No page of another
 * origin is ever let in, so there is nothing to configure but the public URL.
 */
export function createGuard(options: GuardOptions): Guard {
  const publicHost = options.publicUrl === null ? null : hostOfAuthority(new URL(options.publicUrl).host);
  return (request) => {
    const { headers } = request;
    const authority = headers.host;
    const host = authority === undefined || hasSecondHost(request) ? null : hostOfAuthority(authority);
    if (host === null || request.url?.startsWith('/') === false) return 'host_not_allowed';
    const isOurs =
      isLoopbackName(host) ||
      host === options.bind ||
      host === publicHost ||
      // Bound to every address: the one that the client has in fact reached. A name that resolves here is still refused.
      (isWildcard(options.bind) && host === socketAddress(request.socket.localAddress));
    if (!isOurs) return 'host_not_allowed';
    return originIsOurs(headers, options.publicUrl) ? null : 'origin_not_allowed';
  };
}

function originIsOurs(headers: IncomingHttpHeaders, publicUrl: string | null): boolean {
  const { origin } = headers;
  if (origin === undefined) return true;
  if (origin === publicUrl) return true;
  const parsed = URL.parse(origin);
  if (parsed === null || parsed.protocol !== 'http:' || parsed.origin !== origin.toLowerCase()) return false;
  return parsed.host === URL.parse(`http://${headers.host ?? ''}`)?.host;
}

/** Node keeps the first of several Host headers and drops the rest without a word; a proxy may have taken the last. */
function hasSecondHost(request: IncomingMessage): boolean {
  const { rawHeaders } = request;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name !== undefined && name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1;
}

/** True when the request comes from this machine and was not addressed to the public URL. */
export function isLocalRequest(request: IncomingMessage, options: GuardOptions): boolean {
  const host = hostOfAuthority(request.headers.host ?? '');
  const publicHost = options.publicUrl === null ? null : hostOfAuthority(new URL(options.publicUrl).host);
  const isPublic = host === publicHost && host !== null && !isLoopbackName(host);
  return isOwnMachine(request.socket) && !isPublic && request.headers['x-forwarded-for'] === undefined;
}
