import { isDeepStrictEqual } from 'node:util';
import { attenuate } from '../../../packages/host/src/grants/attenuate.ts';
import { commandLineOf } from '../../../packages/host/src/grants/command-words.ts';
import { allowsEndpoint } from '../../../packages/host/src/grants/endpoint.ts';
import type { Grants } from '../../../packages/host/src/grants/grants.ts';
import { grantsInForce, judgePath, WORKSPACE } from '../../../packages/host/src/grants/in-place.ts';
import { readGrants } from '../../../packages/host/src/grants/read-grants.ts';
import type { LinkReader } from '../../../packages/host/src/grants/real-path.ts';
import { allowsCommand } from '../../../packages/host/src/grants/shell-grant.ts';
import { grantLimits } from '../../../packages/host/src/limits.ts';
import { judgeUrl } from '../../../packages/host/src/network/judge-url.ts';
import { hold, type Target } from '../engine/target.ts';

const seed = {
  levels: [
    {
      shell: { allow: ['git log', ['git', 'push']], deny: ['rm'] },
      fs: { read: ['/w', '$workspace'], write: ['$workspace/a'] },
    },
    {
      network: {
        endpoints: [{ host: '*.x.org', path_prefix: '/api', methods: ['get'] }],
        allow_private: true,
      },
    },
    { shell: { deny: [] }, fs: { write: [] } },
  ],
  links: { '/w/a': '/etc', '/w/b': '../up', '/w/c': '/w/c' },
  ask: {
    command: 'git log -1',
    path: '/w/a/passwd',
    folder: '/w',
    url: 'https://a.x.org/api/1',
    method: 'GET',
  },
};

/** An input is levels of grants, links of a file system, and what a call would touch. */
export const target: Target = {
  name: 'grant-matcher',
  holds:
    'grants are read or refused with a place; all levels together allow what each of them allows and nothing else; a matcher that shares no code with ours says the same',
  covers: [
    'packages/host/src/grants',
    'packages/host/src/network/judge-url.ts',
    'packages/host/src/network/address-kind.ts',
  ],
  form: 'json',
  maxBytes: 6_000,
  words: [
    ...[
      'levels',
      'links',
      'ask',
      'command',
      'path',
      'folder',
      'url',
      'method',
      '/w/../etc',
      '/w2',
      '$workspace/..',
      '$workspacex',
    ],
    ...[
      'sh -c x',
      'env rm',
      '/bin/RM',
      'python3 -c x',
      'a=1 b',
      'http://127.1/',
      'http://[::ffff:10.0.0.1]/',
      'https://x.org.',
    ],
    ...[
      '/api%2f..',
      '/api;x',
      '/api/../x',
      '*.x.org',
      '*',
      'localhost',
      '169.254.169.254',
      'metadata.google.internal',
    ],
  ],
  seeds: () => [
    JSON.stringify(seed),
    JSON.stringify({
      ...seed,
      levels: [{}, { fs: {} }],
      ask: { ...seed.ask, command: 'sh -c "rm x"', url: 'http://0x7f.1/' },
    }),
    JSON.stringify({
      ...seed,
      levels: [{ shell: { allow: [] }, network: { endpoints: [] }, fs: { read: [] } }],
    }),
    JSON.stringify({ ...seed, ask: { ...seed.ask, url: 'https://a.x.org/api/..%2f..%2fadmin' } }),
    JSON.stringify({ ...seed, links: {}, ask: { ...seed.ask, path: '../w2', url: 'https://x.org/api' } }),
  ],
  open: async () => ({ run }),
};

async function run(input: Uint8Array): Promise<void> {
  const asked = readInput(input);
  if (asked === undefined) return;
  const levels: Grants[] = [];
  for (const level of asked.levels) {
    const reading = readGrants(level);
    if (!reading.ok) hold(reading.problem !== '', 'what is refused says what is wrong with it');
    else levels.push(reading.value);
  }
  judgeCommand(levels, asked.command);
  judgeRequest(levels, asked.url, asked.method);
  await judgeFile(levels, asked);
}

type Asked = {
  readonly levels: readonly Readonly<Record<string, unknown>>[];
  readonly links: ReadonlyMap<string, string>;
  readonly command: string;
  readonly path: string;
  readonly folder: string;
  readonly url: string;
  readonly method: string;
};

function readInput(input: Uint8Array): Asked | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(input).toString());
  } catch {
    return undefined;
  }
  if (!isRecord(value) || !isRecord(value['ask']) || !Array.isArray(value['levels'])) return undefined;
  const { ask } = value;
  const text = (key: string) => (typeof ask[key] === 'string' ? (ask[key] as string) : '');
  const links = isRecord(value['links']) ? Object.entries(value['links']) : [];
  const folder = text('folder');
  return {
    levels: value['levels'].filter(isRecord).slice(0, 5),
    links: new Map(links.filter((link): link is [string, string] => typeof link[1] === 'string')),
    ...{ command: text('command'), path: text('path'), url: text('url') },
    folder: folder.startsWith('/') ? folder : '/w',
    method: text('method').toUpperCase(),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function judgeCommand(levels: readonly Grants[], text: string): void {
  const line = commandLineOf(text);
  if (line.kind === 'empty') return;
  const { argv } = line;
  // A word of nothing runs nowhere, also where nobody says anything.
  const each = [{}, ...levels].every(({ shell }: Grants) => allowsCommand(shell, argv));
  hold(
    allowsCommand(attenuate(...levels).shell, argv) === each,
    'levels together allow the commands that each allows',
  );
  for (const { shell } of levels) {
    const listed =
      shell?.allow?.some((prefix) => isDeepStrictEqual(argv.slice(0, prefix.length), prefix)) ?? true;
    if (allowsCommand(shell, argv)) hold(listed && argv[0] !== '', 'what runs is what a list names');
    const name = (word = '') => (/[^/\\]*$/.exec(word)?.[0] ?? '').toLowerCase().replace(/\.exe$/, '');
    const denied = shell?.deny?.some(
      ([program, ...rest]) =>
        name(program) === name(argv[0]) && isDeepStrictEqual(argv.slice(1, rest.length + 1), rest),
    );
    if (denied === true) hold(!allowsCommand(shell, argv), 'what is denied never runs');
    if (shell?.deny !== undefined && shell.deny.length > 0 && line.kind === 'shell')
      hold(!allowsCommand(shell, argv), 'while something is denied no shell runs');
  }
}

function judgeRequest(levels: readonly Grants[], text: string, method: string): void {
  const together = attenuate(...levels).network;
  const verdict = judgeUrl(text, method, together);
  if (!verdict.ok) {
    hold(verdict.reason !== '', 'a refusal says why');
    return;
  }
  const { url } = verdict.target;
  hold(url.protocol === 'http:' || url.protocol === 'https:', 'only http and https go out');
  hold(url.username === '' && url.password === '', 'no user name goes out');
  const request = { host: url.hostname.replace(/\.$/, ''), path: url.pathname, method };
  for (const { network } of levels) {
    hold(allowsEndpoint(network, request), 'levels together allow the requests that each allows');
    if (network?.endpoints === undefined) continue;
    const fits = network.endpoints.some(
      (one) =>
        hostFits(one.host, request.host) &&
        (one.pathPrefix === undefined || pathFits(one.pathPrefix, url)) &&
        (one.methods === undefined || one.methods.includes(method)),
    );
    hold(fits, 'what goes out fits an endpoint of every list');
  }
  const isClosed = levels.some(({ network }) => network !== undefined && !network.allowPrivate);
  const looksPrivate = /^(?:127|10|192\.168)\.|^localhost$|\.localhost$|\.internal$|^\[::1\]$/.test(
    request.host,
  );
  hold(!(isClosed && looksPrivate), 'nothing private is reached where a level closes it');
  hold(
    !/^169\.254\.169\.254$|^metadata\.google\.internal$|^0\.0\.0\.0$/.test(request.host),
    'what hands out credentials is never reached',
  );
}

function hostFits(wide: string, host: string): boolean {
  if (wide === '*') return true;
  if (!wide.startsWith('*.')) return wide === host;
  const parts = host.split('.');
  const tail = wide.slice(2).split('.');
  return parts.length > tail.length && isDeepStrictEqual(parts.slice(-tail.length), tail);
}

/** However a server unfolds the path, it stays below the prefix. */
function pathFits(prefix: string, url: URL): boolean {
  let [path, wanted] = [url.pathname, prefix];
  for (let unfolded = 0; unfolded < 3; unfolded += 1) {
    const below = segmentsOf(wanted);
    const segments = folded(path.replaceAll('\\', '/'));
    if (!isDeepStrictEqual(segments.slice(0, below.length), below)) return false;
    try {
      [path, wanted] = [decodeURIComponent(path), decodeURIComponent(wanted)];
    } catch {
      return true;
    }
  }
  return true;
}

/** Where a path leads, by recursion; undefined after more links than ours follows. */
function leadsTo(path: string, links: ReadonlyMap<string, string>): string | undefined {
  let followed = 0;
  let real: string[] = [];
  const walk = (segments: readonly string[]): void => {
    for (const segment of segments) {
      if (segment === '.') continue;
      if (segment === '..') real.pop();
      else real.push(segment);
      const to = segment === '..' ? undefined : links.get(`/${real.join('/')}`);
      if (to === undefined) continue;
      followed += 1;
      if (followed > grantLimits.links) return;
      real = to.startsWith('/') ? [] : real.slice(0, -1);
      walk(segmentsOf(to));
    }
  };
  walk(folded(path));
  return followed > grantLimits.links ? undefined : `/${real.join('/')}`;
}

async function judgeFile(levels: readonly Grants[], { links: map, path, folder }: Asked): Promise<void> {
  const links: LinkReader = { linkAt: async (name) => map.get(name) ?? null };
  const place = { workspace: '/w', links };
  const inForce = await grantsInForce(levels, place);
  for (const use of ['read', 'write'] as const) {
    const verdict = await judgePath(inForce, use, path, folder, links);
    if (!`${folder}${path}`.includes('\0')) {
      const told = leadsTo(path.startsWith('/') ? path : `${folder}/${path}`, map);
      hold(verdict.path === told, 'a path leads where its links lead', () => `${verdict.path} and ${told}`);
    }
    if (verdict.path !== undefined) {
      const parts = verdict.path.split('/').slice(1);
      hold(
        verdict.path.startsWith('/') && !parts.some((part) => part === '..' || part === '.'),
        'a real path is folded',
      );
      for (let end = 1; end <= parts.length; end += 1)
        hold(
          !map.has(`/${parts.slice(0, end).join('/')}`) || verdict.path === '/',
          'no name on a real path is a link',
        );
    }
    let each = verdict.path !== undefined;
    for (const level of levels) {
      const alone = await judgePath(await grantsInForce([level], place), use, path, folder, links);
      each &&= alone.isGranted;
    }
    hold(verdict.isGranted === each, 'levels together allow the paths that each allows');
    if (!verdict.isGranted || verdict.path === undefined) continue;
    for (const level of levels) {
      const list = level.fs?.[use];
      if (list === undefined || map.size > 0) continue;
      const real = verdict.path.split('/').filter((part) => part !== '');
      const fits = list.some((granted) => {
        const written =
          granted === WORKSPACE || granted.startsWith(`${WORKSPACE}/`)
            ? `/w${granted.slice(WORKSPACE.length)}`
            : granted;
        const wanted = folded(written);
        return isDeepStrictEqual(real.slice(0, wanted.length), wanted);
      });
      hold(fits, 'what is opened stands below a path of every list');
    }
  }
}

function folded(path: string): readonly string[] {
  const segments: string[] = [];
  for (const segment of segmentsOf(path))
    if (segment === '..') segments.pop();
    else if (segment !== '.') segments.push(segment);
  return segments;
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}
