import { grantLimits } from '../limits.ts';
import type { Endpoint, NetworkGrant } from './grants.ts';
import type { Allowlist } from './prefix-lists.ts';

/** A request as an endpoint is held against it: host in lower case as a URL has it, path without query, method in upper case. */
export interface EndpointRequest {
  readonly host: string;
  readonly path: string;
  readonly method: string;
}

/** True where the endpoints allow the request. Whether the address may be reached is asked elsewhere, of the resolved one. */
export function allowsEndpoint(grant: NetworkGrant | undefined, request: EndpointRequest): boolean {
  return grant?.endpoints === undefined || grant.endpoints.some((endpoint) => covers(endpoint, request));
}

/** Both grants in force at once. */
export function bothNetwork(
  left: NetworkGrant | undefined,
  right: NetworkGrant | undefined,
): NetworkGrant | undefined {
  if (left === undefined) return right;
  if (right === undefined) return left;
  const endpoints = common(left.endpoints, right.endpoints);
  return {
    ...(endpoints === undefined ? {} : { endpoints }),
    allowPrivate: left.allowPrivate && right.allowPrivate,
  };
}

function covers({ host, pathPrefix, methods }: Endpoint, request: EndpointRequest): boolean {
  return (
    hostCovers(host, request.host) &&
    (pathPrefix === undefined || pathCovers(pathPrefix, request.path)) &&
    (methods === undefined || methods.includes(request.method))
  );
}

/** `*.x` is every name below x at any depth, and not x: what is written is what is meant. */
function hostCovers(wide: string, host: string): boolean {
  if (wide === host || wide === '*') return true;
  return wide.startsWith('*.') && host.length > wide.length - 1 && host.endsWith(wide.slice(1));
}

/** A path that a server may unfold into another one lies below no prefix. */
const AMBIGUOUS = /%(?:25)*(?:2f|5c|2e|00)|\\|\/\/|;/i;

function pathCovers(prefix: string, path: string): boolean {
  if (AMBIGUOUS.test(path)) return false;
  return path === prefix || path.startsWith(`${prefix}/`);
}

function common(left: Allowlist<Endpoint>, right: Allowlist<Endpoint>): Allowlist<Endpoint> {
  if (left === undefined) return right;
  if (right === undefined) return left;
  const found = new Map<string, Endpoint>();
  for (const one of left)
    for (const other of right) {
      const both = meet(one, other);
      // To leave out what does not fit only narrows.
      if (both === undefined || found.size >= grantLimits.endpointsInForce) continue;
      found.set(JSON.stringify([both.host, both.pathPrefix, both.methods]), both);
    }
  return [...found.values()];
}

/** What two endpoints both cover; undefined where that is nothing. */
function meet(left: Endpoint, right: Endpoint): Endpoint | undefined {
  const host = narrowerOf(left.host, right.host, hostCovers);
  const pathPrefix =
    left.pathPrefix === undefined || right.pathPrefix === undefined
      ? (left.pathPrefix ?? right.pathPrefix)
      : narrowerOf(left.pathPrefix, right.pathPrefix, pathCovers);
  const mayMeet = left.pathPrefix === undefined || right.pathPrefix === undefined || pathPrefix !== undefined;
  const methods =
    left.methods === undefined
      ? right.methods
      : left.methods.filter((method) => right.methods?.includes(method) ?? true);
  if (host === undefined || !mayMeet || methods?.length === 0) return undefined;
  return {
    host,
    ...(pathPrefix === undefined ? {} : { pathPrefix }),
    ...(methods === undefined ? {} : { methods }),
  };
}

function narrowerOf(
  left: string,
  right: string,
  covering: (wide: string, narrow: string) => boolean,
): string | undefined {
  if (covering(left, right)) return right;
  return covering(right, left) ? left : undefined;
}
