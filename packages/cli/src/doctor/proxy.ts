import { type Finding, ill, well } from './finding.ts';

const proxyNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'] as const;

/**
 * Whether the environment sends what is meant for this machine through a proxy. Fairlead itself never does; curl, MCP
 * clients and plugins go by these variables.
 */
export function checkProxyVariables(env: Readonly<Record<string, string | undefined>>): Finding {
  const check = 'proxy';
  const set = proxyNames
    .flatMap((name) => [name, name.toLowerCase()])
    .filter((name) => (env[name] ?? '') !== '');
  if (set.length === 0) return well(check, 'no proxy is set');
  const excluded = new Set(
    `${env['NO_PROXY'] ?? ''},${env['no_proxy'] ?? ''}`.split(',').map((word) => word.trim().toLowerCase()),
  );
  const missing = excluded.has('*') ? [] : ['localhost', '127.0.0.1'].filter((host) => !excluded.has(host));
  if (missing.length === 0) return well(check, `${set.join(', ')} leave out this machine`);
  return ill('warn', {
    check,
    what: `${set.join(', ')} without ${missing.join(' and ')} in NO_PROXY`,
    code: 'proxy_takes_loopback',
    next: 'Set NO_PROXY=localhost,127.0.0.1,::1 beside it, in both spellings where a program reads only one.',
  });
}

/** What answered at the address of a gateway. */
export type GatewayAnswer =
  | { readonly kind: 'fairlead' }
  | { readonly kind: 'foreign'; readonly status: number; readonly server: string | null }
  | { readonly kind: 'nothing'; readonly reason: string };

/** Whether a gateway answers where one should be, rather than a proxy or nobody. */
export function checkGateway(url: string, answer: GatewayAnswer): Finding {
  const check = 'gateway';
  switch (answer.kind) {
    case 'fairlead':
      return well(check, `${url} answers`);
    case 'foreign': {
      const who = answer.server === null ? '' : ` by ${answer.server}`;
      return ill('fail', {
        check,
        what: `${url} is answered with HTTP ${answer.status}${who}, which is not Fairlead's answer`,
        code: 'answer_not_fairlead',
      });
    }
    case 'nothing':
      return ill('fail', {
        check,
        what: `${url} does not answer (${answer.reason})`,
        code: 'server_unreachable',
      });
  }
}
