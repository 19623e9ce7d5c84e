import { cliError } from '../cli-error.ts';

/** What decides whether a connection goes through a proxy. */
export type ProxyInputs = {
  /** `--proxy`. */
  readonly proxy?: string | undefined;
  /** False for `--no-system-proxy`: the variables do not count. */
  readonly systemProxy?: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * The proxy on the way to an address, or null: `--proxy`, else HTTPS_PROXY or HTTP_PROXY by the address's scheme, else
 * ALL_PROXY, unless NO_PROXY names the host. What is on this machine is never reached through one. Throws `proxy_invalid`.
 */
export function findProxy(target: URL, inputs: ProxyInputs): URL | null {
  const named = inputs.proxy === undefined ? null : parseProxy(inputs.proxy, '--proxy');
  if (isLoopback(target.hostname)) return null;
  if (named !== null || inputs.systemProxy === false) return named;
  const { env } = inputs;
  if (isExcluded(target, settingOf(env, 'NO_PROXY') ?? '')) return null;
  for (const name of [target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY', 'ALL_PROXY']) {
    const value = settingOf(env, name);
    if (value !== null) return parseProxy(value, name);
  }
  return null;
}

/** `localhost`, 127.0.0.0/8 and ::1. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** The small name goes first, as it does for curl. */
function settingOf(env: ProxyInputs['env'], name: string): string | null {
  const value = (env[name.toLowerCase()] ?? env[name])?.trim() ?? '';
  return value === '' ? null : value;
}

function parseProxy(value: string, from: string): URL {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  const isHttp = url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
  // Not repeated: it may hold a password.
  if (!isHttp) throw cliError('proxy_invalid', { detail: { from } });
  return url;
}

/** Names with a leading dot or without cover their subdomains; `host:port` holds for that port alone; `*` for everything. */
function isExcluded(target: URL, list: string): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = target.port === '' ? (target.protocol === 'https:' ? '443' : '80') : target.port;
  return list.split(/[\s,]+/).some((word) => {
    if (word === '*') return true;
    const [, name = '', onPort] = /^(?:\*?\.)?(\[[^\]]*\]|.*?)(?::(\d+))?$/.exec(word.toLowerCase()) ?? [];
    const wanted = name.replace(/^\[|\]$/g, '');
    if (wanted === '' || (onPort !== undefined && onPort !== port)) return false;
    return host === wanted || host.endsWith(`.${wanted}`);
  });
}
