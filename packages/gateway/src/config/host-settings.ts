import { isIP } from 'node:net';
import { isLoopbackName, normalHost } from '../http/host-name.ts';
import { hostLimits } from '../limits.ts';

/** A setting's value as read, or what it should have been. */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly expected: string };

/** One value of `fairlead.toml` that this version uses: its names in each place, its default, and how it is read. */
export type HostSetting<T> = {
  /** Dotted, as in the file. */
  readonly key: string;
  readonly flag?: string;
  readonly environment?: string;
  readonly fallback: T;
  /** Reads what TOML, a flag or `fromText` gave. */
  read(value: unknown): Reading<T>;
  /** Turns an environment variable's text into what `read` takes. */
  fromText(text: string): unknown;
};

const asText = (text: string): unknown => text;
const asNumber = (text: string): unknown => (/^\d{1,15}$/.test(text) ? Number(text) : text);

function integer(min: number, max: number): (value: unknown) => Reading<number> {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? { ok: true, value }
      : { ok: false, expected: `a whole number from ${min} to ${max}` };
}

/** Every setting that this version reads, under the name it has in code. */
export const hostSettings = {
  bind: {
    key: 'gateway.bind',
    flag: '--bind',
    environment: 'FAIRLEAD_BIND',
    fallback: '127.0.0.1',
    read: readBind,
    fromText: asText,
  } satisfies HostSetting<string>,
  port: {
    key: 'gateway.port',
    flag: '--port',
    environment: 'FAIRLEAD_PORT',
    fallback: 7420,
    read: integer(0, 65_535),
    fromText: asNumber,
  } satisfies HostSetting<number>,
  publicUrl: {
    key: 'gateway.public_url',
    environment: 'FAIRLEAD_PUBLIC_URL',
    fallback: null,
    read: readPublicUrl,
    fromText: asText,
  } satisfies HostSetting<string | null>,
  trustedProxies: {
    key: 'gateway.trusted_proxies',
    fallback: [],
    read: readTrustedProxies,
    fromText: asText,
  } satisfies HostSetting<readonly string[]>,
  allowRemote: {
    key: 'gateway.allow_remote',
    flag: '--allow-remote',
    fallback: false,
    read: (value: unknown): Reading<boolean> =>
      typeof value === 'boolean' ? { ok: true, value } : { ok: false, expected: 'true or false' },
    fromText: asText,
  } satisfies HostSetting<boolean>,
  authority: {
    key: 'policy.authority',
    environment: 'FAIRLEAD_AUTHORITY_MODE',
    fallback: 'trusted_agent',
    read: readAuthority,
    fromText: asText,
  } satisfies HostSetting<string>,
  bodyBytes: {
    key: 'limits.body_bytes',
    fallback: hostLimits.bodyBytes.fallback,
    read: integer(hostLimits.bodyBytes.min, hostLimits.bodyBytes.max),
    fromText: asNumber,
  } satisfies HostSetting<number>,
  requestSecs: {
    key: 'limits.request_secs',
    fallback: hostLimits.requestSecs.fallback,
    read: integer(hostLimits.requestSecs.min, hostLimits.requestSecs.max),
    fromText: asNumber,
  } satisfies HostSetting<number>,
  connections: {
    key: 'limits.connections',
    fallback: hostLimits.connections.fallback,
    read: integer(hostLimits.connections.min, hostLimits.connections.max),
    fromText: asNumber,
  } satisfies HostSetting<number>,
} as const;

/** The authority modes that mean something in this version; any other refuses what has an effect. */
export const authorityModes: readonly string[] = ['trusted_agent', 'restricted'];

function readBind(value: unknown): Reading<string> {
  const host = typeof value === 'string' ? normalHost(value) : null;
  // A name would be resolved by whoever answers for it, so that what is listened on could change under the operator.
  if (host !== null && (isIP(host) !== 0 || isLoopbackName(host))) return { ok: true, value: host };
  return { ok: false, expected: 'an IP address of this machine, or localhost' };
}

function readPublicUrl(value: unknown): Reading<string | null> {
  if (value === null) return { ok: true, value };
  const wrong: Reading<string | null> = {
    ok: false,
    expected: 'an address such as https://fairlead.example, without user name, path or query',
  };
  if (typeof value !== 'string' || value.length > 2048) return wrong;
  const url = URL.parse(value.trim());
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return wrong;
  if (
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.pathname !== '/'
  ) {
    return wrong;
  }
  return { ok: true, value: url.origin };
}

function readTrustedProxies(value: unknown): Reading<readonly string[]> {
  const isList = Array.isArray(value) && value.length <= hostLimits.trustedProxies;
  if (isList && value.every((item: unknown) => typeof item === 'string' && isAddressRange(item))) {
    return { ok: true, value: value as string[] };
  }
  return {
    ok: false,
    expected: `a list of at most ${hostLimits.trustedProxies} addresses or ranges such as "10.0.0.0/8"`,
  };
}

function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

function readAuthority(value: unknown): Reading<string> {
  // A mode of a later version must not stop the start: it is passed on, and the executor refuses what it does not know.
  if (typeof value === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(value)) return { ok: true, value };
  return { ok: false, expected: 'trusted_agent or restricted' };
}
